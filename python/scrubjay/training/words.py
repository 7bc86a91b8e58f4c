"""Words that fill the slots of patterns: they change what a statement is about and not how long it holds.

Two thirds of each list are for training, the last third for what is held out, so that a held-out sentence has names and
nouns that no training sentence had.

>>> set(words("city", held_out=False)) & set(words("city", held_out=True))
set()
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_TABLE: Final[dict[str, str]] = {
    "n": "Mara Tobias Yuki Leila Kofi Sven Priya Hugo Nadia Oskar Wanjiru Felipe Tamar Bogdan Aisha Matteo"
    " Ngozi Callum Anna Wei Omar Linh John Fatima Kim Sarah Ahmed Mei-Ling Olga David Chinedu Jürgen Maria"
    " Hiroshi Zainab Paul Siobhan Arjun Emily Kwabena Jiayi Mohamed Elena Raj Thandiwe Peter Yusuf Laura"
    " Minh Ewa Carlos Noor Ben Svetlana Tariq Chloé Dong-hyun Ana Abdullah Freya Ming Deepika Luis Ayumi"
    " James Oluwaseun Hana Igor Sofía Bo Nia Max Layla Takeshi Irina Sam Amir Eszter Pedro Ling Karim Lucy"
    " Suresh Anneli Jorge Mary Tunde Rahel Ivan Xin Julia Baraka Kate Reza Søren Pooja Alice Huan Mikael"
    " Zeinab Nick Agnieszka Sunil Emma Kwaku Zhi Camila Ali Tuan Grace Dmitri Suki Rafael Ilse Fatou Eamon"
    " Xiomara Jun Petra Idris Maeve Takumi Zofia Andile Marisol Gunnar Parveen Lorenzo Amina Caspian Hye-jin"
    " Tobiah Saoirse Emeka Valentina Ravi Birgit Mateus Xiaoyan Yan Mohammed Robert Lakshmi Jean-Luc Aigerim"
    " Bruno Keiko Adwoa Jack Rania Vladimir Seo-yeon Martha Dinesh Inge Abebe Clara Quang Khadija Tim Shanti"
    " Pietro Yoko Obinna Lisa Hassan Małgorzata Diego Yun Salma Fred",
    "n2": "Ines Bram Chiara Tarek Signe Pavel Aiko Ruben Malik Greta Olivier Shreya Anders Lucia Kwame Hanna Tomasz"
    " Farid Elodie Goran Mei Sipho Nuria Vikram Astrid Joao Reza Katya",
    "name": "Joel Vera Samir Kirsten Dario Anouk Lewis Zeynep Carmen Ole Bianca Hamid Sunniva Paulo Rosa Ken",
    "kin": "my sister|my brother|our neighbour|the user|my boss|our landlord|a colleague of mine|my flatmate|the new"
    " intern|Dr Novak|Ms Adeyemi|my cousin|our accountant|the client|my daughter|the team lead|my uncle|Mr Castellano"
    "|the customer|my wife|our designer|the candidate|my best friend|the contractor",
    "place": "lobby|canteen|warehouse|library|pharmacy|platform|workshop|gym|harbour|bakery|post"
    " office|cinema|town hall"
    "|car park|clinic|market|swimming pool|bookshop|laundry|museum|greenhouse|hairdresser|hardware store|playground"
    "|reception|cafe next door|dentist|supermarket|studio|bank",
    "room": "2.07|Atlas|Linden|B14|Copper|31|Orchid|5-110|A|C4|Saturn|Curie|1.21|Jade|12|the aquarium|North|Hopper|7b"
    "|Everest|203|Mango|Turing|D|Willow|0.33",
    "file": "notes.md|config.yaml|router.ts|billing.py|schema.sql|Makefile|report.tex|app.css|index.html|parser.rs"
    "|Dockerfile|users.csv|main.go|test_api.py|deploy.sh|thesis.docx|theme.scss|queue.ex|setup.cfg|Invoice.java"
    "|layout.vue|bench.c",
    "project": "Kestrel Saltmarsh Juniper Pylon Quarry Lighthouse Ember Tidepool Nimbus Foxglove Granite Meridian"
    " Sparrow Halcyon Obsidian Bramble Cascade Marigold Beacon Thistle Zephyr",
    "module": "login page|importer|billing service|search index|mobile app|cache layer|scheduler|payment gateway"
    "|notification service|admin panel|upload form|recommendation engine|audit log|checkout|map view|spell checker"
    "|rate limiter|chat widget",
    "job": "backup|import|nightly batch|data export|training run|index rebuild|load test|database migration|download"
    "|test suite|video rendering|sync|virus scan|firmware update|code generation|crawl|deployment|benchmark",
    "doc": "quarterly report|travel claim|offer|budget plan|contract|slide deck|survey|manual|grant application|invoice"
    "|press release|tax return|visa form|design document|job advert|meeting minutes|newsletter|insurance claim"
    "|reference letter|floor plan",
    "meeting": "planning round|retro|board meeting|kick-off|budget talk|interview|stand-up|design review|lunch meeting"
    "|sync|all-hands|workshop|parents' evening|demo|one-on-one|postmortem|hearing|rehearsal|seminar|town hall meeting"
    "|review|choir practice|training session|project meeting|sales call|exam",
    "regular": "planning round|retro|board meeting|team meeting|stand-up|design review|book club|choir practice|yoga"
    " class|town hall|status call|French lesson|backup drill|jour fixe|tasting|office hours|art class|reading group",
    "tool": "Postgres|Figma|Emacs|Excel|Terraform|Notion|Redis|Blender|SQLite|Jira|Vim|Slack|Kubernetes|Linear|Obsidian"
    "|Photoshop|VS Code|Firefox|Grafana|Zoom|Trello|LaTeX|Airtable|PyTorch|Neovim|Signal",
    "org": "Halvorsen & Co|the city library|Meridian Foods|Arbor Bank|the tax office|Polaris Labs|the University of"
    " Ghent|Otto Brothers|Northgate Hospital|Bluebird Airlines|a law firm|Kiln Studio|the railway company|Sage Media"
    "|the water board|a start-up|Delta Insurance|St Anne's School|a bakery chain|Orion Logistics|the theatre|Zenith"
    " Energy",
    "city": "Porto Ghent Leeds Turin Oslo Accra Kyoto Valparaiso Graz Tartu Montreal Nairobi Lyon Gdansk Seville Boston"
    " Hanoi Bergen Zurich Mumbai Dublin Perth Izmir Krakow Medellin Busan",
    "country": "Portugal Ghana Japan Canada Norway Chile Poland Vietnam Kenya Ireland Peru Finland Nepal Greece",
    "food": "lentil soup|sushi|pierogi|mango|ramen|olives|rye bread|risotto|blue cheese|tacos|aubergines|pancakes"
    "|dark chocolate|kimchi|oysters|curry|mushrooms|tofu|fennel|couscous|gnocchi|papaya",
    "drink": "green tea|black coffee|oat milk|red wine|sparkling water|mint tea|cider|espresso|ginger ale|buttermilk",
    "language": "Portuguese Rust Japanese Python Welsh Go Arabic Haskell Spanish TypeScript Mandarin Kotlin Swahili"
    " Ruby Finnish Scala Hindi Elixir",
    "version": "4.2.1|1.19|2024.3|v0.8.5|12.0-rc2|3.11.4|7.0|v2.14|5.6.0-beta1|18.2|0.31.7|21H2|v10.3",
    "clock": "14:30|9:15|16:00|11:45|17:20|half past ten|8 am|noon|6 pm|13:05|three o'clock|10:00|quarter to"
    " five|19:30",
    "day": "Thursday|Monday|the 14th|Saturday|3 June|next Tuesday|Friday|the 28th|Wednesday next week|12 March|Sunday"
    "|the 5th",
    "weekday": "Thursdays|Mondays|Saturdays|Tuesdays|Fridays|Wednesdays|Sundays",
    "date": "2023-05-17|2024-11-02|2021-08-30|12.03.2024|2025-01-19|2022-07-08|04/06/2024",
    "number": "17|204|3|58|1182|9|46|730|12|2051|81",
    "amount": "12|49|90|650|1,200|7.50|35|2,400|19.99|300",
    "thing": "grey estate car|cello from 1890|boat|red bicycle|mechanical keyboard|tent|coffee grinder|telescope|sewing"
    " machine|electric scooter|piano|drone|camper van|record player|kayak|3D printer",
    "animal": "cat|dog|parrot|rabbit|horse|tortoise|hamster|goat",
    "sport": "tennis|chess|rugby|judo|volleyball|badminton|hockey|climbing|rowing|fencing",
    "instrument": "violin|piano|guitar|drums|oboe|accordion|trumpet|cello",
    "topic": "tides|medieval trade|graph databases|bird migration|urban planning|cryptography|glaciers|folk music"
    "|battery chemistry|tax law|opera|soil biology",
    "allergen": "nuts|cats|pollen|peanuts|penicillin|dust|wasp stings|milk|soy|eggs|hazelnuts|fish"
    "|bee stings|mould|sesame|dogs|walnuts|aspirin|ragweed|kiwis|mustard|celery|nickel|shellfish|latex"
    "|gluten|strawberries|birch pollen|cashews|sulfa drugs|lupins|horses|prawns|ibuprofen|almonds",
    "trade": "nurse|carpenter|architect|tax adviser|marine biologist|sound engineer|pilot|florist|judge|plumber|data"
    " analyst|chef|pharmacist|translator|electrician|cardiologist|product manager|violin maker|geologist|welder",
    "host": "db-3|orca|web-07|build-agent-2|edge-ams1|mail-01|gpu-node-5|proxy-b|backup-nas|k8s-prod",
    "branch": "feature/login-v2|hotfix/session-timeout|release/4.1|fix/null-date|main|refactor/cache|dev|perf/joins"
    "|chore/deps|spike/wasm|feat/dark-mode|bugfix/1183",
    "ticket": "PROJ-231|#4411|BUG-77|OPS-1904|ticket 58|issue 310|DES-12|case 9921|PAY-603|TASK-45",
    "need": "tired|thirsty|sleepy|freezing|worn out|bored|impatient|wide awake|out of breath|soaking wet"
    "|sweaty|cold|dizzy|in a hurry|fed up|giddy|half asleep|peckish|tense|speechless|too warm|full|grumpy"
    "|hungry|starving|exhausted|nauseous|tipsy|jet-lagged|parched|stuffed|shaky|chilly",
    "lifelong": "colour-blind|deaf in one ear|right-handed|blind in one eye|dyslexic|hard of hearing|adopted"
    "|double-jointed|autistic|albino|a redhead|short-sighted|an identical twin|left-handed|ambidextrous|deaf"
    "|blind|lactose intolerant|face-blind|an only child",
    "condition": "type 1 diabetes|asthma|epilepsy|coeliac disease|haemophilia|ADHD|Crohn's disease|migraine"
    "|sickle cell disease|scoliosis|psoriasis|a heart murmur|cystic fibrosis|multiple sclerosis|tinnitus"
    "|lupus|narcolepsy|a thyroid disorder",
    "blood": "A positive|0 negative|B positive|AB negative|A negative|0 positive|O positive|B negative"
    "|AB positive|O negative",
    "faith": "Catholic|Muslim|Jewish|Buddhist|Hindu|Lutheran|Orthodox|Protestant|Sikh|Methodist|Quaker|Shinto|Baptist",
    "year": "1987|2003|1996|2011|1972|2015|1999|2008|1964|2013|2001|1991|2017|2006|1985",
    "eyes": "green|blue|brown|dark|hazel|grey|light",
    "tongue": "Portuguese|Japanese|Welsh|Arabic|Spanish|Mandarin|Swahili|Tamil|Hungarian|Turkish|French"
    "|Amharic|Greek|Dutch|Hebrew|Russian|Finnish|Hindi|Urdu|Polish|Korean|Yoruba|Catalan|Vietnamese|Persian"
    "|Cantonese",
    "subject": "law|chemistry|history|mechanical engineering|economics|nursing|music|mathematics"
    "|architecture|biology|linguistics|fine arts|computer science|medicine|physics|philosophy|geography"
    "|sociology|veterinary science|astronomy|theology",
    "colour": "green|red|navy blue|yellow|white|black|orange|turquoise|grey",
    "mood": "tired|anxious|cheerful|annoyed|worn out|excited|stressed|sleepy|in a bad mood|nervous|bored|in"
    " high spirits"
    "|grumpy|relaxed|homesick|upset",
    "buildstate": "green|red|broken|failing|passing|stuck",
    "it": "It|This|That|The above|This fact|This statement|All this|This entry|The note|This one",
    "was_noted": "was noted|was written down|has been recorded|was mentioned|was saved|was reported|was entered|came up"
    "|was stored|was picked up|is kept|was filed|was archived|was taken down|is on record|was put on file|was collected"
    "|was registered|was added|is listed|was extracted|was captured|was imported",
    "somewhere": "in session {number}|during the weekly call|on page {number}|under {code}|by {name}|in the minutes|as"
    " item {number}|in step {number} of the run|in ticket {code}|in my diary|in note {code}|at the stand-up|in thread"
    " {number}|with tag {code}|for {name}|in record {code}-{number}|in batch {number}|in section {code}|in file {code}"
    "-{code}|in run {code}|as entry {code}{number}|in log {number}|in chapter {number}|in folder {code}|in the archive"
    "|in block {code}-{number}|at milestone {code}|under number {number}|in snapshot {code}|in volume {number}",
    "said_before": "Thanks!|Hi!|Hello!|FYI.|Quick one.|Morning all.|Ok, noted.|Sure, no problem.|Good question.|Sorry"
    " for the late reply.|Just a note.|By the way.|Hey there.|Great, thank you.|No worries.|Let me"
    " think.|Yes, of course.|Got it.|Hope you are well.|Thanks for asking.|Right.|One thing.|Hi {n}!"
    "|Thank you, {n}.|Just checking in.|Good to hear from you.|Happy to help.|Haha, yes.|Evening!|Merci"
    " !|Hallo zusammen!|¡Hola!|Nice to meet you.|As promised:|Dear {n},|For the record:|Long time no"
    " see!|Cool, thanks.|Hiya.|Perfect, thanks {n}.|Fair enough.|Sounds good.|Welcome back!|Oh wow."
    "|Good day to you.|Bonjour à tous.|Buenos días.|Okay then.|Just fyi.",
    "said_behind": "Thanks!|Thank you!|Cheers!|Just so you know.|FYI.|Let me know.|Hope that helps.|See you!|Ok?|Got"
    " it?|Please remember that.|Have a nice day!|Any questions?|Best, {n}|Regards, {n}|That's all.|I"
    " thought you should know.|Thanks a lot, {n}!|Please make a note of it.|Can you save that?|Keep it"
    " in mind.|Talk soon.|Bye!|Don't forget.|:-)|Good to know, right?|Does that make sense?|I hope this"
    " is useful.|Danke!|Merci !|¡Gracias!|You can rely on that.|Have a good one.|Many thanks!|Write"
    " that down, please.|Just in case.|Take care!|Catch you later.|For what it's worth.|Much"
    " appreciated.|Anyway.|That's it from me.|Over and out.|Let's talk soon.|Vielen Dank!|Saluti!|So"
    " there you go.|Noted?|Good night!|Appreciate it, {n}.",
    "code": "K4-11|B7|N-203|X19|QA-5|ZZ-81|7F|R-12",
    "zh_name": "小明|李华|王芳|张伟|陈静|刘洋|我姐姐|用户|我的同事|赵老师|我",
    "zh_city": "北京|上海|成都|广州|杭州|西安|东京|巴黎|柏林",
    "ja_name": "田中さん|佐藤さん|由美|健太|妹|ユーザー|同僚|鈴木さん|私",
    "ja_city": "東京|大阪|京都|札幌|福岡|横浜|パリ|ソウル|仙台",
    "de_p": "Jonas|Meine Schwester|Frau Keller|Der Nutzer|Mein Chef|Svenja|Unser Nachbar|Murat|Die"
    " Kollegin|Herr Brandt",
    "fr_p": "Camille|Ma sœur|Monsieur Petit|L'utilisateur|Mon chef|Bastien|Notre voisine|Amadou|La collègue|Manon",
    "es_p": "Lucía|Mi hermana|El señor Vega|El usuario|Mi jefa|Andrés|Nuestra vecina|Ximena|El compañero|Iker",
    "it_p": "Giulia|Mia sorella|Il signor Conti|L'utente|Il mio capo|Davide|La nostra vicina|Sofia|Il collega|Elena",
    "pt_p": "Beatriz|Minha irmã|O senhor Rocha|O usuário|Meu chefe|Thiago|Nossa vizinha|Rui|O colega|Inês",
}


@lru_cache(maxsize=256)
def words(slot: str, *, held_out: bool = False) -> tuple[str, ...]:
    """The words of a slot, the last third of them where `held_out`. Raises KeyError for a slot that is not known."""
    row = _TABLE[slot]
    every = row.split("|") if "|" in row else row.split()
    cut = len(every) - len(every) // 3
    return tuple(every[cut:] if held_out else every[:cut])


SLOTS: Final = frozenset((*_TABLE, "p"))
"""Names of slots; "p" is a person, a name or a relation."""
