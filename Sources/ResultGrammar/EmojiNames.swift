/// The names that Slack, Discord, Discourse and others write in place of emoji:
/// `:large_green_square:`, `:green_square:`.
package enum EmojiNames {
  /// The emoji whose name begins at `place`, and how many bytes the name takes.
  package static func find(in bytes: [UInt8], at place: Int) -> (scalars: [UInt32], length: Int)? {
    guard place + 2 < bytes.count, isLetter(bytes[place + 1]) else { return nil }
    var end = place + 1
    let limit = min(bytes.count, place + 28)
    while end < limit, isLetter(bytes[end]) || isDigitOrLine(bytes[end]) { end += 1 }
    guard end < limit, bytes[end] == UInt8(ascii: ":") else { return nil }
    let name = String(decoding: bytes[place + 1..<end], as: UTF8.self)
    guard let scalars = table[name] else { return nil }
    return (scalars, end + 1 - place)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
  }

  private static func isDigitOrLine(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static let table: [String: [UInt32]] = {
    let emoji: [(String, String)] = [
      ("🟩", "large_green_square green_square"), ("🟨", "large_yellow_square yellow_square"),
      ("🟧", "large_orange_square orange_square"), ("🟥", "large_red_square red_square"),
      ("🟦", "large_blue_square blue_square"), ("🟪", "large_purple_square purple_square"),
      ("🟫", "large_brown_square brown_square"), ("⬜", "white_large_square"),
      ("⬛", "black_large_square"), ("🟢", "large_green_circle green_circle"),
      ("🟡", "large_yellow_circle yellow_circle"), ("🟠", "large_orange_circle orange_circle"),
      ("🔵", "large_blue_circle blue_circle"), ("🟣", "large_purple_circle purple_circle"),
      ("🟤", "large_brown_circle brown_circle"), ("🔴", "red_circle large_red_circle"),
      ("⚪", "white_circle"), ("⚫", "black_circle"), ("❤", "red_heart heart"), ("💚", "green_heart"),
      ("💛", "yellow_heart"), ("💙", "blue_heart"), ("💜", "purple_heart"), ("🖤", "black_heart"),
      ("🤍", "white_heart"), ("🤎", "brown_heart"), ("🧡", "orange_heart"), ("💔", "broken_heart"),
      ("💡", "bulb light_bulb"), ("📌", "pushpin"), ("📍", "round_pushpin"),
      ("🤔", "thinking_face thinking"), ("🎉", "tada party_popper"), ("⭐", "star"), ("🌟", "star2"),
      ("👑", "crown"), ("✅", "white_check_mark check_mark_button"), ("❌", "x cross_mark"),
      ("🎥", "movie_camera"), ("⬆", "arrow_up up_arrow"), ("⬇", "arrow_down down_arrow"),
      ("⬅", "arrow_left left_arrow"), ("➡", "arrow_right right_arrow"), ("↖", "arrow_upper_left"),
      ("↗", "arrow_upper_right"), ("↘", "arrow_lower_right"), ("↙", "arrow_lower_left"),
      ("⏫", "arrow_double_up"), ("⏬", "arrow_double_down"), ("🔼", "arrow_up_small"),
      ("🔽", "arrow_down_small"), ("🔺", "small_red_triangle"), ("🔻", "small_red_triangle_down"),
      ("🌑", "new_moon"), ("🌒", "waxing_crescent_moon"), ("🌓", "first_quarter_moon"),
      ("🌔", "waxing_gibbous_moon"), ("🌕", "full_moon"), ("🌖", "waning_gibbous_moon"),
      ("🌗", "last_quarter_moon"), ("🌘", "waning_crescent_moon"), ("🌍", "earth_africa"),
      ("🌎", "earth_americas"), ("🔇", "mute"), ("🔈", "speaker"), ("🔉", "sound"), ("🔊", "loud_sound"),
      ("🔥", "fire"), ("🏆", "trophy"), ("🏁", "checkered_flag"), ("🏠", "house"), ("🎮", "video_game"),
      ("🎬", "clapper"), ("🎨", "art"), ("🎧", "headphones"), ("📺", "tv"), ("📐", "triangular_ruler"),
      ("🍿", "popcorn"), ("⛳", "golf"), ("⚡", "zap"), ("⏱", "stopwatch"), ("⌛", "hourglass"),
      ("🧶", "yarn"), ("🪜", "ladder"), ("🧑", "adult person"), ("🐟", "fish"), ("🐈", "cat2"),
      ("🐱", "cat"), ("🎯", "dart"), ("🧠", "brain"), ("🕐", "clock1"), ("🕑", "clock2"),
      ("🕒", "clock3"), ("🕓", "clock4"), ("🕔", "clock5"),
      ("🕕", "clock6"), ("🕖", "clock7"), ("🕗", "clock8"), ("🕘", "clock9"), ("🕙", "clock10"),
      ("🕚", "clock11"),
      ("🕛", "clock12"), ("0⃣", "zero"), ("1⃣", "one"), ("2⃣", "two"), ("3⃣", "three"),
      ("4⃣", "four"), ("5⃣", "five"), ("6⃣", "six"), ("7⃣", "seven"), ("8⃣", "eight"),
      ("9⃣", "nine"), ("🔟", "keycap_ten"), ("", "skin-tone-2 skin-tone-3 skin-tone-4 skin-tone-5"),
      ("", "skin-tone-6 tone1 tone2 tone3 tone4 tone5"), ("▪", "black_small_square"),
      ("▫", "white_small_square"), ("◼", "black_medium_square"), ("◻", "white_medium_square"),
      ("◾", "black_medium_small_square"), ("◽", "white_medium_small_square"),
      ("🔲", "black_square_button"), ("🔳", "white_square_button"), ("🔶", "large_orange_diamond"),
      ("🔷", "large_blue_diamond"), ("🔸", "small_orange_diamond"), ("🔹", "small_blue_diamond"),
      ("💎", "gem gem_stone"), ("🟰", "heavy_equals_sign"), ("➕", "heavy_plus_sign plus"),
      ("➖", "heavy_minus_sign minus"), ("✔", "heavy_check_mark check_mark"),
      ("✖", "heavy_multiplication_x"), ("☑", "ballot_box_with_check"), ("❓", "question"),
      ("❗", "exclamation"), ("🥇", "first_place first_place_medal"),
      ("🥈", "second_place second_place_medal"),
      ("🥉", "third_place third_place_medal"), ("🏅", "medal sports_medal"),
      ("🎖", "military_medal"), ("💀", "skull"), ("💥", "boom collision"), ("🥳", "partying_face"),
      ("🥵", "hot_face"), ("🥶", "cold_face"), ("😎", "sunglasses"), ("🧊", "ice_cube"),
      ("🙈", "see_no_evil"), ("🧇", "waffle"), ("🌈", "rainbow"), ("✨", "sparkles"),
      ("🕹", "joystick"), ("🔎", "mag_right"), ("🔍", "mag"), ("🔑", "key"), ("⛓", "chains"),
      ("🔗", "link"), ("👀", "eyes"), ("🥚", "egg"), ("🍏", "green_apple"), ("🍎", "apple"),
      ("🐦", "bird"), ("🐸", "frog"), ("🤓", "nerd_face nerd"), ("😢", "cry"), ("😭", "sob"),
      ("🎁", "gift"), ("📅", "date calendar"), ("📈", "chart_with_upwards_trend"),
      ("🌐", "globe_with_meridians"),
      ("🌏", "earth_asia"), ("🗺", "map world_map"), ("🧭", "compass"), ("⌚", "watch"),
      ("⏳", "hourglass_flowing_sand"),
      ("⏲", "timer_clock timer"), ("🦐", "shrimp"), ("🪙", "coin"), ("💙", "blue_heart"),
      ("🩷", "pink_heart"),
      ("🩵", "light_blue_heart"), ("🩶", "grey_heart"),
      ("⭕", "o hollow_red_circle heavy_large_circle"),
      ("❎", "negative_squared_cross_mark cross_mark_button"),
      ("🎵", "musical_note"), ("🎶", "notes musical_notes"), ("🎞", "film_frames film_strip"),
      ("🎤", "microphone"), ("🥁", "drum"), ("🎸", "guitar"), ("🏀", "basketball"), ("⚽", "soccer"),
      ("🚩", "triangular_flag_on_post"), ("👤", "bust_in_silhouette"), ("🔪", "knife hocho"),
      ("🏡", "house_with_garden"), ("🕰", "mantelpiece_clock clock"), ("⚖", "scales balance_scale"),
      ("📝", "memo"), ("🌳", "deciduous_tree"), ("😔", "pensive"), ("🙁", "slightly_frowning_face"),
    ]
    return Dictionary(
      emoji.flatMap { emoji, names in
        names.split(separator: " ").map { (String($0), emoji.unicodeScalars.map(\.value)) }
      },
      uniquingKeysWith: { first, _ in first }
    )
  }()
}
