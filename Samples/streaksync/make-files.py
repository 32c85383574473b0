#!/usr/bin/env python3
"""Makes the legacy files of this folder. Every result is made up; the same files come out each time.

    ./make-files.py [FOLDER]        FOLDER is this one unless given
"""

import datetime
import json
import pathlib
import plistlib
import sys
import uuid

BASE = "550e8400-e29b-41d4-a716-4466554400"
GAMES = {"wordle": BASE + "00", "quordle": BASE + "01", "nerdle": BASE + "02",
         "connections": BASE + "03", "pips": BASE + "06", "strands": BASE + "07",
         "heardle": BASE + "03", "linkedinqueens": "550e8400-e29b-41d4-a716-446655440100"}
START = datetime.datetime(2024, 3, 5, 7, 30, tzinfo=datetime.timezone.utc)
MISS, NEAR, HIT = "⬛", "🟨", "🟩"


def result_id(name):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "urn:streaksync-sample:" + name)).upper()


def instant(days, fraction=False):
    text = (START + datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S")
    return text + (".250Z" if fraction else "Z")


def wordle(number, guesses, hard=False, grouped=False):
    rows = [MISS + NEAR + MISS * 3] * ((guesses or 7) - 1) + ([HIT * 5] if guesses else [])
    shown = f"{number:,}" if grouped else str(number)
    return f"Wordle {shown} {guesses or 'X'}/6{'*' if hard else ''}\n\n" + "\n".join(rows)


def result(game, days, text, score, maximum=6, completed=True, data=None, fraction=False, name=None):
    record = {"id": result_id(name or f"{game}/{days}"), "gameId": GAMES[game].upper(),
              "gameName": game, "date": instant(days, fraction), "maxAttempts": maximum,
              "completed": completed, "sharedText": text, "parsedData": data or {}}
    if score is not None:
        record["score"] = score
    return record


def connections(number):
    return (f"Connections\nPuzzle #{number}\n🟨🟨🟨🟨\n🟩🟩🟦🟩\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪")


def stored():
    """What the app itself holds."""
    found = []
    for day, guesses in enumerate([3, 4, 2, 5, 3]):
        number = 990 + day
        found.append(result("wordle", day, wordle(number, guesses, hard=day == 2), guesses,
                            data={"puzzleNumber": str(number)}))
    # Lost; and the app's parser stored a lower-case x as completed.
    lost = wordle(996, None).replace("X/6", "x/6")
    found.append(result("wordle", 6, lost, None, data={"puzzleNumber": "996"}))
    found.append(result("connections", 1, connections(269), 4, 4, data={"puzzleNumber": "269"}))
    # Its score is one less than the text says.
    found.append(result("wordle", 7, wordle(997, 4), 3, data={"puzzleNumber": "997"}))
    # An old build: the id belongs to another game today.
    found.append(result("heardle", 2, "#Heardle #740\n\n🔉🟥🟩⬜⬜⬜⬜\n\nhttps://spotify.com/heardle", 1, 6))
    # Before March 2026 the score of Pips was its difficulty.
    found.append(result("pips", 8, "Pips #12 Medium 🟡\n2:05", 2, 3,
                        data={"puzzleNumber": "12", "difficulty": "Medium"}))
    # A game that no one's parser knows.
    found.append(result("strands", 9, "my own notes: solved", 0, 10, name="strands/notes"))
    return found


def shared():
    """What the share extension left behind."""
    queens = "Queens #254 | 1:46 with no mistakes\nFirst 👑s: 🟪 🟩 🟧"
    return [
        result("linkedinqueens", 10, queens, 106, 0, fraction=True,
               data={"puzzleNumber": "254", "source": "shareExtension"}),
        result("wordle", 8, wordle(998, 3), 3, data={"puzzleNumber": "998"}, fraction=True),
        result("wordle", 9, wordle(999, 4), 4, data={"puzzleNumber": "999"}, fraction=True),
        result("wordle", 10, wordle(1000, 3, grouped=True).replace("1,000", "1,000 🎉"), 3,
               data={"puzzleNumber": "1000"}, fraction=True),
    ]


def streak(game, current, longest, played, completed):
    return {"id": result_id("streak/" + game), "gameId": GAMES[game].upper(), "gameName": game,
            "currentStreak": current, "maxStreak": longest, "totalGamesPlayed": played,
            "totalGamesCompleted": completed, "lastPlayedDate": instant(7)}


STREAKS = [streak("wordle", 1, 5, 7, 6), streak("connections", 1, 1, 1, 1)]


def data(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True).encode()


def preferences():
    token = plistlib.dumps({"$archiver": "NSKeyedArchiver", "$version": 100000,
                            "$top": {"root": plistlib.UID(1)}, "$objects": ["$null", "token"]},
                           fmt=plistlib.FMT_BINARY)
    return {
        "streaksync_game_results": data(stored()),
        "streaksync_streaks": data(STREAKS),
        "streaksync_achievements": data([{"id": result_id("first"), "title": "First game"}]),
        "tieredAchievements": data([{"id": result_id("tiers"), "category": "Game Collector"}]),
        "streaksync_favorite_games": data([GAMES["wordle"], GAMES["connections"]]),
        "com.streaksync.sync.serverChangeToken": token,
        "connectionsFixV2Complete": True,
        "uniqueGamesEver": 5,
        "AppleLanguages": ["en-GB"],
    }


def group():
    queue = shared()
    members = {
        "latestGameResult": data(queue[0]),
        "gameResults": data(queue[1:2]),
        "gameResultKeys": data(["gameResult_" + found["id"] for found in queue[2:]]
                               + ["gameResult_" + result_id("gone")]),
        "lastShareExtensionSave": datetime.datetime(2024, 3, 15, 7, 30),
        "isProcessingShare": False,
    }
    for found in queue[2:]:
        members["gameResult_" + found["id"]] = data(found)
    return members


def surrogates(text):
    """Writes what XML needs and every emoji as the Java program does: as two references."""
    out = []
    for character in text:
        if character in "&<\"\n":
            out.append(f"&#{ord(character)};")
        elif ord(character) > 0xFFFF:
            high, low = divmod(ord(character) - 0x10000, 0x400)
            out.append(f"&#{0xD800 + high};&#{0xDC00 + low};")
        else:
            out.append(character)
    return "".join(out)


def messages():
    bodies = [
        (0, 2, wordle(990, 3)),                            # the app has it
        (10, 2, wordle(1000, 3, grouped=True)),            # the share extension has it
        (11, 2, "did it again! " + wordle(1001, 2)),
        (11, 1, "see you at eight"),
        (12, 2, wordle(1002, 5) + "\n\n" + connections(280)),
        (13, 2, "Wordle 1003 4/6\n\n" + HIT * 5),          # breaks the game's rules
        (13, 2, "Strands #10\n“Sample theme”\n🔵🔵🟡🔵\n🔵💡🔵🔵"),
    ]
    lines = ["<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>",
             "<!--File Created By SMS Backup & Restore, in its layout-->",
             f'<smses count="{len(bodies)}">']
    for days, box, body in bodies:
        when = int((START + datetime.timedelta(days=days)).timestamp() * 1000)
        lines.append(f'  <sms protocol="0" address="+15550100" date="{when}" type="{box}" '
                     f'subject="null" body="{surrogates(body)}" read="1" status="-1" '
                     'contact_name="(Unknown)" />')
    return "\n".join(lines + ["</smses>", ""])


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    container = folder / "group"
    (container / "Library/Preferences").mkdir(parents=True, exist_ok=True)
    files = {
        "preferences.plist": plistlib.dumps(preferences(), fmt=plistlib.FMT_BINARY),
        "preferences.xml.plist": plistlib.dumps(preferences(), fmt=plistlib.FMT_XML),
        "group/Library/Preferences/group.sample.StreakSync.plist":
            plistlib.dumps(group(), fmt=plistlib.FMT_BINARY),
        "group/latest_result.json": data(shared()[0]),
        "game_results.json": data(stored()[:6]),
        "StreakSync_Backup_2024-03-16_073000.json": json.dumps(
            {"version": 1, "exportDate": instant(11), "appVersion": "1.0",
             "gameResults": stored() + shared()[:1], "streaks": STREAKS,
             "achievements": [{"id": result_id("first"), "title": "First game"}],
             "favoriteGameIds": [GAMES["wordle"]], "customGames": []},
            ensure_ascii=False, indent=2, sort_keys=True).encode(),
        "sms-backup.xml": messages().encode(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)


main()
