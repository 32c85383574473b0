import FerryCommands

await FerryCommand.start()
