"""Texts of the synthetic stores. All names and stories are made up."""

TRAITS = ("Brave", "Kind", "Curious", "Funny", "Smart", "Adventurous", "Creative", "Helpful", "Gentle", "Magical")
BUILT_IN_EVENTS = (
    "Bedtime Adventure", "School Day Fun", "Birthday Celebration", "Weekend Explorer", "Rainy Day Magic",
    "Family Time", "Making Friends", "Learning Something New", "Helping Others", "Holiday Adventure")
CATEGORIES = (
    "Daily Life", "Adventure", "Emotional Growth", "Learning", "Celebration", "Challenge", "Imagination", "Custom")
AGES = ("2-4 years", "4-6 years", "6-10 years", "All Ages")
TONES = ("Calming", "Exciting", "Educational", "Funny", "Inspiring", "Mysterious", "Balanced")
STYLES = ("playful", "minimalist", "storybook", "geometric", "watercolor")
ICONS = ("calendar", "map", "heart", "graduationcap", "party.popper", "trophy", "sparkles", "star")
COLORS = ("#007AFF", "#34C759", "#FF3B30", "#5856D6", "#FF9500", "#AF52DE", "#FF2D55", "#00C7BE")
ERRORS = (
    "Network Error", "Invalid Content", "Rate Limited", "Service Error", "Timeout", "Storage Error", "Unknown Error")
# The status of rows 0 to 7, then again from the start.
STATUSES = (
    "synced", "synced", "pendingUpdate", "pendingCreate", "synced", "pendingDelete", "failed", "conflict")

HERO_NAMES = (
    "Nova", "Zoé", "Łucja", "Nova", "נועם", "Jo\u0308rg", "Pixel", "Comet", "سلمى", "小さな星", "Ana María",
    "Captain 🦊", "👩🏽‍🚀 Mia", "Miloš", "Teo \"Tiny\" Tumble", "Åse", "Bramble", "Fern", "Ольга", "Ţofan",
    "Juniper", "Pebble", "Wren", "Lantern 🏮")

TITLES = (
    "L’été de Zoé", "Cafe\u0301 in the Rain", "Café in the Rain", "A 👩🏽‍🚀 in the Garden", "👨‍👩‍👧‍👦 Night",
    "שיר לירח", "قصة القمر الصغير", "Mixed \u202bשלום\u202c and back", "\"Quoted\" and 'single' \\ backslash",
    "Line one\nLine two", "Before\u2028after", "山の灯り", "Łukasz i smok Żółw", "CafÃ© under the starsâ€\u009d",
    "  spaces kept  ", "🏳️‍🌈 & <b>tags</b> & {json: \"no\"}", "Ça va? Ñandú, Ærø, Ĳssel, ǆ")

PLACES = (
    "the paper lighthouse", "a quiet orchard", "the upside-down library", "the river of lanterns",
    "the smallest mountain", "a train made of clouds", "the garden behind the moon", "the button factory")
THINGS = (
    "a silver whistle", "a map that hummed", "three polite snails", "a kite with opinions", "a jar of echoes",
    "an umbrella for two", "a sleepy compass", "the last warm pancake")
ACTIONS = (
    "found", "followed", "shared", "repaired", "counted", "whispered to", "drew", "carried", "waited for")
ENDINGS = (
    "Everyone laughed, even the wind.", "And the night smelled of oranges.", "It was exactly enough.",
    "“Again tomorrow?” asked the moon.", "Nobody was in a hurry any more.", "Slowly the stars came out. ✨")
FOREIGN = (
    "Il était une fois, près de la forêt, un renard qui aimait le thé.",
    "Es war einmal ein kleiner Bär, der übte das Fliegen.",
    "むかしむかし、小さな星が海におちました。", "Жил-был ёжик в тумане.",
    "היה היה ירח קטן שפחד מהחושך.", "كان يا ما كان قمر صغير يحب الضحك.",
    "किसी समय एक नन्हा बादल था।", "Bir varmış, bir yokmuş: ışık küçük bir köye gelmiş.")

EVENT_TITLES = (
    "First Day at the Pool", "Losing a Tooth", "The Missing Sock", "Visiting Grandma’s Garden", "Moving House",
    "A New Puppy 🐶", "Swimming Badge", "The School Play", "Fête des lumières", "Trying New Food", "A Rainy Picnic",
    "Learning to Whistle", "The Big Sleepover", "יום ראשון בגן", "Snow Day ❄️", "Saying Sorry")
KEYWORDS = ("moon", "family", "brave", "été", "🌙", "sharing", "water", "laughter", "\"quoted\"", "שלום", "tooth", "snow")

HAIR = ("black", "red", "silver", "brown", "blond")
SHAPES = ("curly", "short", "braided", "wavy", "tied back")
EYES = ("green", "brown", "amber", "grey", None)
CLOTHES = ("yellow raincoat", "striped jumper", "star-print pyjamas", "explorer’s vest", None)
FEATURES = ("freckles", "a gap-toothed smile", "round glasses", "a tiny scar on the chin", None)


def sentence(source):
    """One sentence of a story."""
    if source.below(9) == 0:
        return source.pick(FOREIGN)
    return "At %s they %s %s." % (source.pick(PLACES), source.pick(ACTIONS), source.pick(THINGS))


def tale(source, name, sentences):
    """A story of some sentences, in paragraphs."""
    parts = ["%s woke up before the sun." % name]
    for number in range(sentences):
        parts.append(sentence(source))
        if number % 5 == 4:
            parts.append("\n\n")
    parts.append(source.pick(ENDINGS))
    return " ".join(parts).replace(" \n\n ", "\n\n")
