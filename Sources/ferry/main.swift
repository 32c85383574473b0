import FerryCommands

FerryCommand.start()
