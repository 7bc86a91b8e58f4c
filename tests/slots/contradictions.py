"""Pairs about one subject, by family: those that cannot both hold, and those that can.

None is made from the patterns that the slot model was trained on (`scrubjay.training.slot_changes`); the families with
a star speak of attributes that it never saw.
"""

from __future__ import annotations

_COMPETE = """
home: David lives in Hamburg. | David moved to Vienna last weekend.
home: Our daughter lives in Prague. | Our daughter has moved to Oslo for good.
home: The Petersons live on Mill Road. | The Petersons relocated to Bristol.
home: Nina has an apartment in Rome. | Nina moved to Athens in spring.
home: I live in Leipzig. | I moved to Dresden.
home: Paul resides in Denver. | Paul's new home is in Austin.
work: Anna works at Acme. | Anna joined Globex in March.
work: Lukas works for Siemens. | Lukas has been hired by Bosch.
work: My brother works at a bank. | My brother got a job at a hotel.
work: Erin is employed at the town hall. | Erin quit her job.
work: Sofia works at the museum. | Sofia has retired.
work: Karl works for a brewery. | Karl is unemployed at the moment.
marriage: Mia is single. | Mia got married in June.
marriage: Tom is engaged to Ruth. | Tom is married to Ruth.
marriage: Helen is married to Mark. | Helen and Mark are divorced.
marriage: Owen is dating Clara. | Owen is single again.
children: Paula has two children. | Paula has three children.
children: The Lees have one child. | The Lees have two kids now.
children: Ahmed has three kids. | Ahmed now has four children.
car: Ben drives a red car. | Ben sold his car.
car: Julia owns a Toyota. | Julia no longer owns a car.
car: My dad drives a diesel. | My dad bought an electric car.
car: Rita has a van. | Rita switched from the van to a bicycle.
diet: Maya is a vegetarian. | Maya eats meat again.
diet: Leo eats meat. | Leo became a vegan last year.
diet: I don't eat meat. | I have started eating meat again.
smoking: Frank smokes. | Frank quit smoking.
smoking: Eva stopped smoking. | Eva smokes again.
driving: Ben does not drive. | Ben passed his driving test and drives now.
room: The design review is in room B12. | The design review has moved to room C4.
room: The workshop is in the east hall. | The workshop takes place in the library now.
room: Our office is on the third floor. | Our office moved to the fifth floor.
room: The stand-up meets in Kepler. | The stand-up meets in Hopper from now on.
time: The stand-up is at 9:30. | The stand-up was moved to 10:00.
time: The call starts at noon. | The call has been pushed back to two o'clock.
time: Choir practice is on Wednesdays. | Choir practice is on Thursdays now.
time: The interview is on Monday. | The interview was rescheduled to Friday.
state: The build is red. | The build on main is passing again.
state: The elevator is out of order. | The elevator has been repaired.
state: The payment service is down. | The payment service is up again.
state: The front gate is open. | The front gate is closed.
state: Ticket 512 is open. | Ticket 512 was closed.
state: The migration is blocked. | The migration is finished.
owner: Max is the owner of the billing service. | The billing service is now owned by Yuki.
owner: Ticket 77 is assigned to Lea. | Ticket 77 was handed over to Omar.
owner: Petra leads the data team. | The data team is now led by Hugo.
owner: Sven is the captain of the team. | Jan took over as captain of the team.
owner: The CEO of Helio is Ms Park. | Helio's new CEO is Mr Stone.
price: The ticket costs 12 euros. | The ticket now costs 15 euros.
price: The rent is 900 euros. | The rent was raised to 950 euros.
price: Coffee is 2 dollars. | The price of coffee went up to 3 dollars.
preference: Lea uses a ThinkPad. | Lea switched to a MacBook.
preference: The user prefers light mode. | The user prefers dark mode now.
preference: Tim's editor is Vim. | Tim switched to Emacs.
preference: Our team uses Jira. | Our team moved to Linear.
opinion: I love Chinese food. | I hate Chinese food.
opinion: Nora likes her new boss. | Nora can't stand her new boss.
study: Kim studies law. | Kim dropped out of university.
study: Aron studies physics in Graz. | Aron switched to chemistry.
version: The server runs version 4.1. | The server was upgraded to 4.2.
version: The latest release of Orbis 3.4 is 3.4.1. | The latest release of Orbis 3.4 is 3.4.2.
number: The gate code is 4471. | The gate code was changed to 8820.
number: Omar's phone number is 555 0134. | Omar has a new phone number: 555 0177.
number: The wifi password is plum. | The wifi password is now pear.
due: The report is due on Monday. | The deadline of the report was extended to Thursday.
due: The grant proposal is due on the 5th. | The grant proposal has been submitted.
team: The striker plays for Ajax. | The striker was transferred to PSV.
team: Pedro plays for the Rivermen. | Pedro signed with Vale Rovers.
health: Ines has the flu. | Ines has recovered.
health: Tom is ill. | Tom is well again.
health: My leg is broken. | My leg has healed.
weight: Ruth weighs 70 kilos. | Ruth is down to 66 kilos.
age: The baby is four months old. | The baby is five months old.
plan: We fly to Lisbon in May. | The trip to Lisbon was cancelled.
plan: The launch is planned for June. | The launch was postponed to August.
bank*: I bank with the savings bank. | I moved my account to Arbor Bank.
gym*: Lena trains at the Westside gym. | Lena now trains at Iron Works.
hosting*: The site is hosted at Northcloud. | The site is hosted on our own servers now.
hair*: Zoe has long hair. | Zoe cut her hair short.
membership*: Tina is a member of the Greens. | Tina left the Greens.
doctor*: Our doctor is Dr Lang. | Our new doctor is Dr Weiss.
language*: The docs are in German. | The docs are in English now.
thermostat*: The thermostat is set to 21 degrees. | The thermostat was turned down to 18 degrees.
limit*: The rate limit is 100 requests. | The rate limit was raised to 200 requests.
seat*: Olga sits next to the window. | Olga sits by the door now.
german: David wohnt in Hamburg. | David ist nach Wien umgezogen.
german: Meine Mutter arbeitet bei der Post. | Meine Mutter ist jetzt in Rente.
german: Der Aufzug ist kaputt. | Der Aufzug wurde repariert.
german: Das Treffen ist in Raum 4. | Das Treffen wurde in Raum 9 verlegt.
german: Lea ist Vegetarierin. | Lea isst wieder Fleisch.
french: Julie habite à Nice. | Julie a déménagé à Lille.
french: Marc travaille chez Renault. | Marc a rejoint Airbus.
french: La réunion est en salle 3. | La réunion a été déplacée en salle 7.
french: L'ascenseur est en panne. | L'ascenseur est réparé.
spanish: Carmen vive en Sevilla. | Carmen se mudó a Bilbao.
spanish: Pablo trabaja en un banco. | Pablo fue contratado por un hotel.
spanish: La reunión es en la sala 2. | La reunión se trasladó a la sala 5.
spanish: Rosa está soltera. | Rosa se casó con Luis.
chinese: 小红住在南京。 | 小红搬到了深圳。
chinese: 他在医院工作。 | 他现在在学校工作。
chinese: 会议在三号会议室。 | 会议改到五号会议室。
japanese: 山田さんは名古屋に住んでいます。 | 山田さんは神戸に引っ越しました。
japanese: 会議は三号室です。 | 会議は五号室に変わりました。
"""

_HOLD_TOGETHER = """
home: David lives in Hamburg. | David visited Vienna last weekend.
home: David lives in Hamburg. | David's parents moved to Vienna.
home: Nina lives in Rome. | Nina works in Milan.
home: Sara was born in Prague. | Sara lives in Madrid.
home: I live in Leipzig. | I grew up in Dresden.
home: Paul resides in Denver. | Paul is flying to Austin tomorrow.
home: Paul resides in Denver. | Paul has a sister in Austin.
home: Nina moved to Athens in spring. | Nina is married to a pilot.
work: Anna works at Acme. | Anna is a customer of Globex.
work: Anna works at Acme. | Anna lives near the river.
work: Lukas works for Siemens. | Lukas plays chess.
work: My brother works at a bank. | My brother is married.
work: Maya works at Google. | Maya is vegetarian.
work: Karl works for a brewery. | Karl studied in Munich.
marriage: Mia is single. | Mia is a nurse.
marriage: Helen is married to Mark. | Helen works with Oliver.
marriage: Owen is dating Clara. | Owen has a cat.
marriage: Maya is a vegetarian. | Maya is married to Tom.
children: Paula has two children. | Paula has three cats.
children: Ahmed has three kids. | Ahmed has two brothers.
children: The Lees have one child. | The Lees have a garden.
car: Ben drives a red car. | Ben has a blue bicycle.
car: Ben drives a red car. | Ben lives in Turin.
car: Julia owns a Toyota. | Julia owns a piano.
car: Rita has a van. | Rita has a dog.
diet: Maya is a vegetarian. | Maya likes spicy food.
diet: Leo became a vegan last year. | Leo runs marathons.
allergy: Tom is allergic to nuts. | Tom is allergic to cats.
allergy: Ines is allergic to shellfish. | Ines likes oysters shells as a decoration.
smoking: Frank smokes. | Frank drinks green tea.
smoking: Eva stopped smoking. | Eva plays tennis.
driving: Ben does not drive. | Ben does not eat fish.
room: The design review is in room B12. | The design review is on Monday.
room: The design review is in room B12. | The retro is in room C4.
room: The design review is led by Kim. | The design review is on Monday.
room: Our office is on the third floor. | Our office has two kitchens.
room: The coffee machine is on the second floor. | The coffee machine is broken.
room: The first-aid kit is in the kitchen. | The first-aid kit is empty.
room: Room C4 seats eight people. | The projector in room C4 is broken.
time: The stand-up is at 9:30. | The stand-up is in Kepler.
time: The call starts at noon. | The call lasts twenty minutes.
time: Choir practice is on Wednesdays. | Yoga class is on Thursdays.
time: The interview is on Monday. | The interview is with Ms Okoye.
state: The build is red. | The build takes ten minutes.
state: The elevator is out of order. | The elevator holds six people.
state: The payment service is down. | The search service is up again.
state: The front gate is open. | The front gate is painted green.
state: Ticket 512 is open. | Ticket 513 was closed.
state: Ticket 512 is open. | Ticket 512 is assigned to Lea.
state: The migration is blocked. | The migration is led by Omar.
owner: Max is the owner of the billing service. | Max is the owner of the search service.
owner: Ticket 77 is assigned to Lea. | Ticket 78 is assigned to Omar.
owner: Petra leads the data team. | Hugo works in the data team.
owner: Sven is the captain of the team. | Jan is the goalkeeper of the team.
owner: The CEO of Helio is Ms Park. | The CFO of Helio is Mr Stone.
price: The ticket costs 12 euros. | The book costs 15 euros.
price: The rent is 900 euros. | The deposit is 1800 euros.
price: Coffee is 2 dollars. | Tea is 3 dollars.
preference: Lea uses a ThinkPad. | Lea uses a fountain pen.
preference: The user prefers dark mode. | The user prefers short answers.
preference: Tim's editor is Vim. | Tim's cat is called Emacs.
preference: Our team uses Jira. | Our team has nine members.
opinion: I love Chinese food. | I love Italian food.
opinion: Nora likes her new boss. | Nora likes her new flat.
opinion: I hate Mondays. | I love Chinese food.
skill: Sara speaks German. | Sara speaks Italian.
skill: Kim plays the cello. | Kim plays the piano.
study: Kim studies law. | Kim lives in Leeds.
study: Aron studies physics in Graz. | Aron works in a bar at night.
version: The staging database runs PostgreSQL 15. | The production database was upgraded to PostgreSQL 16.
version: The latest release of Orbis 3.4 is 3.4.1. | The latest release of Orbis 3.5 is 3.5.2.
number: The gate code is 4471. | The alarm code is 8820.
number: Omar's phone number is 555 0134. | Ruth's phone number is 555 0177.
number: The wifi password is plum. | The wifi is fast.
due: The report is due on Monday. | The report has forty pages.
due: The report is due on Monday. | The invoice is due on Thursday.
team: The striker plays for Ajax. | The striker is 24 years old.
team: Pedro plays for the Rivermen. | Pedro was born in Vale.
health: Ines has the flu. | Ines has two sons.
health: Tom is ill. | Tom is at home.
health: My leg is broken. | My bike is broken.
weight: Ruth weighs 70 kilos. | Ruth is 170 cm tall.
age: The baby is four months old. | The baby is called Theo.
plan: We fly to Lisbon in May. | We fly to Oslo in July.
plan: The launch is planned for June. | The launch party is planned for June.
past: Hana met Bruno in Lyon. | Hana met Wei in Basel.
past: Yusuf ran a marathon in 2019. | Yusuf ran a marathon in 2021.
past: We watched a film on Monday. | We watched a play on Tuesday.
past: Dana broke her arm in 2012. | Dana broke her toe in 2015.
bank*: I bank with the savings bank. | I work at Arbor Bank.
gym*: Lena trains at the Westside gym. | Lena swims in the lake.
hosting*: The site is hosted at Northcloud. | The site has a blog.
hair*: Zoe has long hair. | Zoe has green eyes.
membership*: Tina is a member of the Greens. | Tina is a member of the chess club.
doctor*: Our doctor is Dr Lang. | Our dentist is Dr Weiss.
language*: The docs are in German. | The docs are in the wiki.
thermostat*: The thermostat is set to 21 degrees. | The oven is set to 180 degrees.
limit*: The rate limit is 100 requests. | The size limit is 200 megabytes.
seat*: Olga sits next to the window. | Olga owns two chairs.
german: David wohnt in Hamburg. | David wurde in Wien geboren.
german: Meine Mutter arbeitet bei der Post. | Meine Mutter mag Krimis.
german: Der Aufzug ist kaputt. | Der Drucker ist kaputt.
german: Das Treffen ist in Raum 4. | Das Treffen dauert zwei Stunden.
german: Anna spricht Deutsch. | Anna spricht Italienisch.
french: Julie habite à Nice. | Julie est née à Lille.
french: Marc travaille chez Renault. | Marc joue du piano.
french: La réunion est en salle 3. | La réunion dure deux heures.
spanish: Carmen vive en Sevilla. | Carmen nació en Bilbao.
spanish: Pablo trabaja en un banco. | Pablo toca la guitarra.
spanish: La reunión es en la sala 2. | La reunión dura dos horas.
chinese: 小红住在南京。 | 小红喜欢深圳。
chinese: 他在医院工作。 | 他喜欢喝茶。
japanese: 山田さんは名古屋に住んでいます。 | 山田さんは神戸で生まれました。
japanese: 会議は三号室です。 | 会議は二時間です。
"""


def _rows(text: str, compete: bool) -> list[tuple[str, str, str, bool]]:
    out = []
    for line in text.strip().splitlines():
        family, pair = line.split(": ", 1)
        first, second = pair.split(" | ")
        out.append((family, first, second, compete))
    return out


PAIRS = [*_rows(_COMPETE, True), *_rows(_HOLD_TOGETHER, False)]
"""(family, first, second, whether they compete); the first was said earlier."""
