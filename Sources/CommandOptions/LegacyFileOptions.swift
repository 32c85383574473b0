package import ArgumentParser
import Files
import JSONText
package import LegacyFiles
package import Profiles
import Records
import ResultGrammar
package import ResultImport
import ResultStages
package import ResultText
import StageSupport

private let dateUnits = DateUnit.allCases.map(\.rawValue).joined(separator: ", ")

/// How legacy files are to be read.
package struct LegacyFileOptions: ParsableArguments {
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The files' form: plist, json, jsonl, csv, xml, sms, chat or text.",
      discussion: "Detected from the bytes unless given.",
      valueName: "format"
    ),
    completion: .list(["plist", "json", "jsonl", "csv", "xml", "sms", "chat", "text"])
  )
  package var format: String?

  @Option(help: "The member of a JSON object that holds the text.")
  package var textField: String?

  @Option(help: "The member of a JSON object that holds the date.")
  package var dateField: String?

  @Option(help: "The member of a JSON object that names the sender.")
  package var senderField: String?

  @Option(help: ArgumentHelp("The XML element around what belongs together.", valueName: "element"))
  package var xmlRecord: String?

  @Option(
    help: ArgumentHelp(
      "The XML element, or @attribute, that holds the text. May be given several times.",
      valueName: "name"
    )
  )
  package var xmlText: [String] = []

  @Option(help: ArgumentHelp("The XML element, or @attribute, of the date.", valueName: "name"))
  package var xmlDate: [String] = []

  @Option(help: ArgumentHelp("The XML element, or @attribute, of the sender.", valueName: "name"))
  package var xmlSender: [String] = []

  @Option(help: ArgumentHelp("The XML element, or @attribute, of the game.", valueName: "name"))
  package var xmlGame: [String] = []

  @Option(
    help: "The order of a chat's dates: dmy, mdy or ymd. Found out unless given.",
    completion: .list(["dmy", "mdy", "ymd"])
  )
  package var dateOrder: String?

  @Option(
    help: ArgumentHelp(
      "The unit of numbers that represent dates: \(dateUnits).",
      discussion:
        "Seconds since 2001 unless given, and since 1970 as a text. A message backup has its own.",
      valueName: "unit"
    ),
    completion: .list(DateUnit.allCases.map(\.rawValue))
  )
  package var dateUnit: String?

  package init() {}

  package func validate() throws {
    if let format, LegacyForm(rawValue: format) == nil {
      let known = LegacyForm.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--as takes one of \(known), not “\(format)”.")
    }
    if let dateOrder, ChatDateOrder(rawValue: dateOrder) == nil {
      throw ValidationError("--date-order takes dmy, mdy or ymd, not “\(dateOrder)”.")
    }
    if let dateUnit, DateUnit(rawValue: dateUnit) == nil {
      throw ValidationError("--date-unit takes one of \(dateUnits), not “\(dateUnit)”.")
    }
  }

  package var form: LegacyForm? { format.flatMap { LegacyForm(rawValue: $0) } }

  /// What the flags say, else the profile.
  package func options(_ profile: Profile?) -> LegacyOptions {
    var options = LegacyOptions()
    options.textField = textField
    options.dateField = dateField
    options.senderField = senderField
    options.dateOrder = dateOrder.flatMap { ChatDateOrder(rawValue: $0) }
    let defaults = profile?.imports
    options.dateUnit = dateUnit.flatMap { DateUnit(rawValue: $0) } ?? defaults?.dateUnit
    options.xml.record = xmlRecord ?? defaults?.xmlRecord
    Self.set(&options.xml.text, xmlText, defaults?.xmlTexts)
    Self.set(&options.xml.date, xmlDate, defaults?.xmlDates)
    Self.set(&options.xml.sender, xmlSender, defaults?.xmlSenders)
    Self.set(&options.xml.game, xmlGame, defaults?.xmlGames)
    return options
  }

  private static func set(_ names: inout [String], _ flags: [String], _ defaults: [String]?) {
    if !flags.isEmpty {
      names = flags
    } else if let defaults, !defaults.isEmpty {
      names = defaults
    }
  }
}

/// What counts as which day, whose results are wanted, and which games are known.
package struct ImportRuleOptions: ParsableArguments {
  @Option(
    help: "The time zone of days, and of clocks without one; UTC unless given."
  )
  package var timeZone = "UTC"

  @Option(
    help:
      "The day a result counts for in a streak: recorded unless given, or puzzle, that of its puzzle.",
    completion: .list(["recorded", "puzzle"])
  )
  package var dayRule = GameStreak.DayRule.recorded.rawValue

  @Option(
    help: ArgumentHelp(
      "The day that streaks are asked for; that of the latest result unless given.",
      valueName: "yyyy-mm-dd"
    )
  )
  package var streaksAsOf: String?

  @Option(
    help: ArgumentHelp("The day of results that no one dates.", valueName: "yyyy-mm-dd")
  )
  package var date: String?

  @Option(
    help: ArgumentHelp(
      "Whose results are wanted, by the name or id the files give. May be given several times.",
      discussion:
        "Needed, or --all-senders, where a chat has several senders. A text of no known sender is refused.",
      valueName: "name"
    )
  )
  package var sender: [String] = []

  @Flag(
    help: ArgumentHelp(
      "Take the results of all senders.",
      discussion:
        "Those of others than --sender names keep their player; a package with them is never sent."
    )
  )
  package var allSenders = false

  @Option(
    help: ArgumentHelp(
      "Repair text that was encoded twice, as in exports of Facebook and Instagram: mojibake.",
      valueName: "damage"
    ),
    completion: .list(["mojibake"])
  )
  package var repair: String?

  @Option(
    name: .customLong("game"),
    help: ArgumentHelp(
      "A description of one more game (schema ferry.game.v1). May be given several times.",
      valueName: "file"
    ),
    completion: .file()
  )
  package var games: [String] = []

  package init() {}

  package func validate() throws {
    guard GameStreak.DayRule(rawValue: dayRule) != nil else {
      throw ValidationError("--day-rule takes recorded or puzzle, not “\(dayRule)”.")
    }
    if let repair, repair != "mojibake" {
      throw ValidationError("--repair takes mojibake, not “\(repair)”.")
    }
    for (name, text) in [("--streaks-as-of", streaksAsOf), ("--date", date)] {
      if let text, CalendarDay(text) == nil {
        throw ValidationError("\(name) takes a day like 2026-03-05, not “\(text)”.")
      }
    }
  }

  package func settings(_ profile: Profile?) throws -> ImportSettings {
    var settings = ImportSettings()
    settings.zoneName = timeZone
    settings.zone = try TimeZoneFile.rules(named: timeZone)
    settings.dayRule = GameStreak.DayRule(rawValue: dayRule) ?? .recorded
    settings.streakDay = streaksAsOf.flatMap { CalendarDay($0) }
    settings.day = date.flatMap { CalendarDay($0) }
    settings.senders = sender
    settings.takesOthers = allSenders
    settings.repairsDoubleEncoding = repair != nil
    settings.gameIDs = profile?.imports?.gameIDs ?? [:]
    return settings
  }

  /// The built-in games and those that were named.
  package func catalogue() throws -> GameCatalogue {
    do throws(GameDescriptionError) {
      var more: [GameDescription] = []
      for path in games {
        let bytes: [UInt8]
        do throws(FileError) {
          bytes = try InputFile.contents(of: path, limit: 4 << 20)
        } catch {
          throw GameDescriptionError.notJSON(file: path, cause: error.description)
        }
        more.append(try GameDescription(json: bytes, file: path))
      }
      return try BuiltInGames.catalogue().adding(more)
    } catch {
      throw MigrationError.badImport(reason: error.description, cure: "correct the description")
    }
  }
}
