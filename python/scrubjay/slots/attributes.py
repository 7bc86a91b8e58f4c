"""What a statement is about, where only the sense of a word tells: "moved to Vienna" and "lives in Hamburg".

Words of several languages by the attribute that they speak of. A word may speak of several: what has "moved" may be a
home, a room or a date. Two statements that speak of a common attribute of one subject may replace one another; two that
speak of attributes that have nothing in common do not. Most statements speak of none, and then this says nothing.

>>> one, two, three = (attributes(t.lower().split()) for t in ("moved to Vienna", "lives in Hamburg", "is married"))
>>> one & two == bit("residence"), two & three
(True, 0)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_WORDS: Final[dict[str, str]] = {
    "residence": "live lives lived living reside resides resided residence relocated relocates home moved moves moving"
    " settled settles rents flat wohnt wohne wohnen wohnte lebt lebe gelebt umgezogen gezogen zieht wohnort habite"
    " habitent habitait vit vis déménagé déménage déménager emménagé réside installé installée vive vivo viven vivía"
    " mudó mudado mudada reside abita vivono trasferito trasferita trasferisce mora moro mudou-se mudou",
    "employment": "works work worked working employed employer employs joined joins hired job quit quits resigned"
    " retired unemployed fired started arbeitet arbeite arbeitete angestellt beschäftigt arbeitgeber gekündigt"
    " gewechselt wechselt rente travaille travaillait embauché embauchée employé employée rejoint démissionné retraite"
    " trabaja trabajo trabajaba contratado contratada empleado empleada jubilado jubilada lavora lavorava assunto"
    " assunta trabalha contratado",
    "marital": "married marries marry wed single divorced divorce divorcing engaged dating widowed separated wife"
    " husband spouse girlfriend boyfriend fiance fiancee fiancé fiancée partner verheiratet heiratete geheiratet ledig"
    " geschieden verlobt getrennt freundin ehefrau ehemann marié mariée célibataire divorcé divorcée fiancés épouse"
    " mari épousé séparé séparée casado casada casó soltero soltera divorciado divorciada divorció esposa esposo novia"
    " novio marido sposato sposata",
    "children": "children child kids kid baby twins triplets kinder kind kindern baby enfants enfant hijos hijo bebé"
    " figli filhos",
    "vehicle": "car drives van truck motorcycle motorbike suv auto wagen fährt voiture conduit coche carro conduce"
    " macchina auto guida",
    "driving": "drive drives driving license licence führerschein permis carnet",
    "diet": "vegetarian vegan meat eats eat pescatarian omnivore diet steak vegetarier vegetarierin veganer veganerin"
    " fleisch isst végétarien végétarienne viande mange vegetariano vegetariana carne come mangia",
    "smoking": "smokes smoke smoking smoker cigarettes raucht rauchen raucher fume fumer fumeur fuma fumar fumador",
    "alcohol": "alcohol sober teetotal drinking beer alkohol alcool",
    "place": "room floor office desk building located location venue hall moved moves place upstairs basement seat"
    " relocated raum büro zimmer stock saal verlegt salle bureau étage déplacée déplacé sala oficina piso planta"
    " trasladado trasladada trasladó ufficio",
    "time": "starts start begins time moved postponed rescheduled delayed brought shifted noon midnight o'clock am pm"
    " beginnt verschoben uhr commence reportée reporté avancée heures empieza aplazada aplazado retrasó horas comincia"
    " monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays montag"
    " dienstag mittwoch donnerstag freitag lundi mardi mercredi jeudi vendredi lunes martes miércoles jueves viernes",
    "status": "progress waiting queued pending processing packed"
    " open opened closed down up green red passing failing broken fixed working works merged done finished"
    " resolved running stopped offline online blocked unblocked ready cancelled canceled restored repaired failed"
    " passed pending approved rejected enabled disabled locked unlocked shipped delivered arrived reopened completed"
    " kaputt repariert geschlossen offen rot grün fertig gesperrt fermé fermée ouvert ouverte panne réparé réparée"
    " terminé terminée cerrado cerrada abierto abierta roto rota arreglado arreglada funciona terminado terminada",
    "lead": "leads lead led leading owner owned manager manages managed head heads headed charge responsible boss"
    " reports captain ceo chair chairs director president maintains maintainer runs over took leitet geleitet leiter"
    " leiterin chef chefin verantwortlich übernommen dirige dirigée dirigé responsable cheffe jefe jefa lidera dirigido"
    " dirigida directora capo",
    "price": "costs cost price priced euros dollars pounds cheaper expensive fee kostet preis coûte prix cuesta precio"
    " vale costa prezzo",
    "rent": "rent miete loyer alquiler affitto",
    "salary": "salary earns earn wage paid gehalt verdient salaire gagne sueldo salario gana stipendio",
    "preference": "benutzen benutze nutzen nutze verwenden umgestiegen utilisons usamos usiamo"
    " prefers prefer preferred favourite favorite uses use switched switches default bevorzugt"
    " benutzt nutzt"
    " lieber lieblings préfère utilise préféré préférée prefiere usa utiliza favorito favorita preferisce prefere",
    "study": "studies study studying student university school graduated enrolled dropped major studiert studium"
    " universität étudie étudiant étudiante université estudia estudiante universidad studia",
    "phone": "phone telephone mobile number telefonnummer nummer téléphone numéro teléfono número telefono",
    "email": "email e-mail mail correo",
    "address": "address adresse dirección indirizzo street strasse straße rue calle",
    "secret": "password passcode code pin passwort kennwort contraseña passe",
    "age": "old age turned alt ans años anni birthday",
    "weight": "weighs weight kilos kg pounds wiegt gewicht pèse poids pesa peso",
    "team": "plays signed transferred club team united spielt joue juega gioca",
    "version": "version release latest newest upgraded updated bumped runs deployed aktualisiert neueste dernière"
    " actualizado última versión",
    "due": "due deadline postponed extended delivered submitted fällig frist abgabe échéance délai límite entrega",
    "feeling": "feels feeling mood tired happy sad stressed anxious cheerful relaxed upset angry fühlt müde glücklich"
    " traurig fatigué fatiguée content triste cansado cansada feliz stanco",
    "health": "sick ill flu cold fever recovered healthy healed well better krank gesund erkältet malade guéri guérie"
    " rétabli enfermo enferma recuperado recuperada malato",
    "name": "called named name renamed heißt umbenannt appelle renommé llama llamado renombrado chiama",
    "capital": "capital hauptstadt capitale",
    "colour": "colour color painted repainted farbe gestrichen couleur peint color pintado",
    "pet": "cat dog parrot hamster katze hund chat chien gato perro gatto cane",
    "people": "employees members people staff headcount mitarbeiter employés empleados",
}
_CHARACTERS: Final[dict[str, str]] = {
    "residence": "住 搬 越",
    "employment": "働 勤 职 職",
    "marital": "婚",
    "children": "孩 供",
    "vehicle": "车 車",
    "diet": "肉 素",
    "smoking": "烟 煙",
    "place": "室 楼 階",
    "time": "点 時 期",
    "status": "坏 壊 修 直",
    "lead": "责 責 导",
    "price": "元 円",
    "preference": "用 使",
    "age": "岁 歳",
    "name": "叫 名",
    "study": "学 读",
    "feeling": "累 疲",
    "health": "病",
}
"""Single characters of scripts that are read character by character."""

NAMES: Final = tuple(_WORDS)
"""The attributes, a bit each."""
_BITS: Final[dict[str, int]] = {}
for _bit, (_name, _said) in enumerate(_WORDS.items()):
    for _word in (*_said.split(), *_CHARACTERS.get(_name, "").split()):
        _BITS[_word] = _BITS.get(_word, 0) | 1 << _bit


def bit(name: str) -> int:
    """The bit of an attribute. Raises ValueError for one that is not known."""
    return 1 << NAMES.index(name)


def attributes(words: Iterable[str]) -> int:
    """The attributes that these words, in lower case, speak of: the bits of all of them."""
    found = 0
    for word in words:
        found |= _BITS.get(word, 0)
    return found
