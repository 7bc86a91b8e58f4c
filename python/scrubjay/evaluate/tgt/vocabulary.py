"""The 18 controlled vocabularies and the 20 categories of the template mode (appendices B.1 and B.6; words are ours).

A category's answer is one entry of one vocabulary, so that two different answers never share 60 % of their tokens;
other slots only make bodies differ.
"""

from __future__ import annotations

from typing import Final, NamedTuple

VOCABULARIES: Final[dict[str, tuple[str, ...]]] = {
    "name": ("Amara", "Boris", "Chen", "Dalia", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jonas", "Keiko", "Lena"),
    "office_area": (
        "north atrium",
        "mezzanine library",
        "loading dock",
        "roof terrace",
        "design studio",
        "server room",
    ),
    "city": ("Lisbon", "Nairobi", "Osaka", "Tallinn", "Valparaiso", "Winnipeg"),
    "codename": ("Bluefin", "Cinderfall", "Halcyon", "Marigold", "Northwind", "Quartz"),
    "filename": ("parser.py", "ledger.rs", "router.go", "schema.sql", "loader.cpp"),
    "language": ("Python", "Rust", "Kotlin", "Haskell", "Elixir"),
    "tool": ("Neovim", "Emacs", "Helix", "PyCharm", "Zed"),
    "data_store": ("PostgreSQL", "Redis", "DuckDB", "Cassandra", "MongoDB"),
    "framework": ("Django", "Flask", "Rails", "Svelte", "Phoenix"),
    "food": ("ramen", "lentil soup", "mushroom risotto", "fish tacos", "vegetable curry"),
    "communication_style": ("short bullet points", "long written briefs", "voice calls", "annotated diagrams"),
    "aesthetic": ("minimal monochrome", "warm earth tones", "bold geometric shapes", "vintage serif type"),
    "company": (
        "Brightwell Labs",
        "Corvane Systems",
        "Dunmore Freight",
        "Ellipse Health",
        "Fernhill Media",
        "Granite Robotics",
    ),
    "university": ("Uppsala", "Coimbra", "Kyoto", "Leiden", "Otago"),
    "child": ("Ada", "Bruno", "Clara", "Dmitri", "Esme", "Felix"),
    "long_term_goal": (
        "opening a pottery school",
        "sailing around Iceland",
        "publishing an orchid atlas",
        "building solar kilns",
    ),
    "build_status": ("compiling", "failing two tests", "green", "waiting in review"),
    "mood": ("cheerful", "anxious", "tired", "focused"),
}

HOURS: Final = ("6am until 2pm", "7am until 3pm", "8am until 4pm", "9am until 5pm", "10am until 6pm")
"""Working hours are no vocabulary of the source; these stand in for them."""

FUTURE_TASKS: Final = (
    "the quarterly review day",
    "the site visit",
    "the onboarding guide",
    "the travel booking",
    "the team dinner",
    "the handover note",
)


class Category(NamedTuple):
    """One category: how its memories and queries are worded."""

    type: str
    name: str
    label: str
    answer: str
    """The vocabulary that holds the answer."""
    body: str
    cued: str
    """The body with a time word; the same as `body` for the durable classes."""


def _durable(kind: str, name: str, label: str, answer: str, body: str) -> Category:
    return Category(kind, name, label, answer, body, body)


CATEGORIES: Final = (
    Category("A", "current_location", "whereabouts", "office_area",
             "{subject} is at the {answer} with {colleague}.",
             "Right now {subject} is at the {answer} with {colleague}."),
    Category("A", "todays_plan", "plan for the day", "filename",
             "{subject} plans to clean up {answer} for {codename}.",
             "Today {subject} plans to clean up {answer} for {codename}."),
    Category("A", "transient_mood", "mood", "mood",
             "{subject} feels {answer} after lunch with {colleague}.",
             "{subject} feels {answer} today after lunch with {colleague}."),
    Category("A", "immediate_context", "open editor", "tool",
             "{subject} has {filename} open in {answer}.",
             "{subject} has {filename} open in {answer} right now."),
    Category("A", "real_time_status", "build state", "build_status",
             "The {codename} build of {subject} is {answer}.",
             "The {codename} build of {subject} is {answer} right now."),
    Category("B", "project_decision", "project decision", "framework",
             "{subject} decided to use {answer} for {codename}.",
             "{subject} decided to use {answer} for {codename}, for this session."),
    Category("B", "meeting_outcome", "meeting outcome", "data_store",
             "{subject} and {colleague} agreed to move {codename} to {answer}.",
             "In the meeting this week {subject} and {colleague} agreed to move {codename} to {answer}."),
    Category("B", "recent_preference_shift", "newly preferred language", "language",
             "{subject} has switched to {answer} for {codename}.",
             "{subject} has switched to {answer} for {codename} for the current task."),
    Category("B", "active_bug", "bug under repair", "filename",
             "{subject} is hunting a crash in {answer} with {colleague}.",
             "{subject} is hunting a crash in {answer} with {colleague} this sprint."),
    Category("B", "short_term_goal", "short-term goal", "codename",
             "{subject} wants to ship {answer} on {data_store}.",
             "{subject} wants to ship {answer} on {data_store} by the end of this week."),
    _durable("C", "food_preference", "favourite food", "food",
             "{subject} likes {answer} best, as {colleague} knows."),
    _durable("C", "communication_style", "communication style", "communication_style",
             "{subject} likes to be told things as {answer}, says {colleague}."),
    _durable("C", "tool_preference", "preferred editor", "tool",
             "{subject} prefers {answer} for writing {language}."),
    _durable("C", "working_hours", "working hours", "hours",
             "{subject} keeps hours from {answer}, like {colleague}."),
    _durable("C", "aesthetic_preference", "taste in design", "aesthetic",
             "{subject} favours {answer} in layouts for {company}."),
    _durable("D", "occupation", "employer", "company",
             "{subject} is employed by {answer} in {city}."),
    _durable("D", "location", "home city", "city",
             "{subject} makes a home in {answer} with {child}."),
    _durable("D", "long_term_goal", "dream for later life", "long_term_goal",
             "{subject} dreams of {answer} near {city}."),
    _durable("D", "family_info", "child", "child",
             "{subject} is raising {answer}, who was born in {city}."),
    _durable("D", "education", "alma mater", "university",
             "{subject} graduated from {answer} together with {colleague}."),
)  # fmt: skip
"""Five categories a class, in the order of appendix B.1."""

QUERY_TEMPLATES: Final = {
    "factual": "What is {subject}'s {label}?",
    "comparative": "Has {subject}'s {label} changed recently?",
    "prospective": "What should I remember about {subject}'s {label} for {task}?",
}
