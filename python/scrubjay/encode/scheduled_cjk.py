"""What is scheduled, in Chinese and Japanese: "会議は明日の15時から", "火车十分钟后出发".

>>> said = datetime(2025, 3, 4, 10)
>>> for text in ("会議は明日の15時から", "火车十分钟后出发", "店は9時に開きます"):
...     found = happening_cjk(text, said)
...     print(found and found[0].start.isoformat())
2025-03-05T15:00:00
2025-03-04T10:10:00
None
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta
from typing import Final

from scrubjay.calendar import DAY
from scrubjay.encode.moments import DAWN, HOUR, Kind, Moment

_NUMBER: Final = r"(?:\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
_SOON: Final = re.compile(
    rf"(?:(?P<count>{_NUMBER}) ?(?:个半|個半)?|(?P<half>半)个?個?) ?个?個?"
    r"(?P<unit>分钟|分鐘|分|小时|小時|時間|钟头)(?P<plus>半)?(?:之?[後后]|以内|以內)"
)
_DAYS: Final = {"今": 0, "本": 0, "明": 1, "後": 2, "后": 2}
_DAY: Final = re.compile(
    r"明後日|(?P<near>[今本明]日|[今明后後]天|[今明]晚|今夜|明朝)|(?P<month>\d{1,2})月(?P<date>\d{1,2})[日号號]"
    r"|(?P<next>下|来)?(?:周|週|星期|礼拜)の?(?P<weekday>[一二三四五六日天])|(?P<named>[月火水木金土日])曜"
)
_HOUR: Final = re.compile(
    rf"(?P<part>午前|上午|早上|凌晨|朝|午後|下午|晚上|夜|今晚|明晚|今夜)?の?(?:(?P<hour>{_NUMBER})[時点點](?P<half>半)?"
    rf"(?:(?P<minute>{_NUMBER})分)?(?!間)|(?P<clock>\d{{1,2}}):(?P<past>\d\d))"
)
_WEEK: Final = "月火水木金土日"
_WEEK_BY_NUMBER: Final = "一二三四五六日"
_EARLY: Final = ("午前", "上午", "早上", "凌晨", "朝")
_EVENT: Final = re.compile(
    "(?:会議|會議|会议)(?!室)|打ち合わせ|ミーティング|予約|面接|試験|デモ|発表会|結婚式|コンサート|ライブ|診察|面談|パーティー|飲み会|試合"
    "|开会|考试|面试|演示|约会|预约|婚礼|音乐会|聚会|发布会|手术|手術|比赛|牙医|讲座|講演"
)
_HAPPENS: Final = re.compile(
    "出発|到着|発車|離陸|着陸|始ま|開始|開催|着き|来ます|来る|戻り|戻る|行われ|出ます|届き|届く"
    "|出发|到达|抵达|发车|起飞|降落|开始|举行|回来|就到|会到|送到"
)
_NOT: Final = re.compile(
    "毎|每|营业|営業|開店|閉店|開館|閉館|开门|关门|昨|先週|先月|上周|上个月|ました|でした|だった|已经|了|なら|たら|ければ|如果|要是"
    "|不|没|ない|ません|誕生日|生日|記念日|纪念日|通常|いつも|常に|から(?:.{0,8})まで|[?？]"
)


def happening_cjk(text: str, said: datetime) -> tuple[Moment, bool] | None:
    """The moment at which something is to happen, and whether it is an event rather than an instant."""
    text = unicodedata.normalize("NFKC", text)
    event, happens = _EVENT.search(text) is not None, _HAPPENS.search(text) is not None
    if not (event or happens) or _NOT.search(text):
        return None
    at = _soon(text, said) or _at(text, said)
    if at is None or at.stop <= said:
        return None
    allowed = event or at.kind in (Kind.SOON, Kind.DATE)
    return (at, event) if allowed else None


def _soon(text: str, said: datetime) -> Moment | None:
    found = _SOON.search(text)
    if found is None:
        return None
    unit = timedelta(minutes=1) if found["unit"].startswith("分") else HOUR
    length = unit / 2 if found["half"] else _number(found["count"]) * unit + unit / 2 * bool(found["plus"])
    return Moment(said + length, said + length + length / 4, Kind.SOON, True, False, 0, 0)


def _at(text: str, said: datetime) -> Moment | None:
    today = said.replace(hour=0, minute=0, second=0, microsecond=0)
    named, hour = _DAY.search(text), _HOUR.search(text)
    if hour is not None and (minute := hour["minute"]) is not None and _number(minute) > 59:
        hour = None
    if named is None and hour is None:
        return None
    day, kind = (today, Kind.CLOCK) if named is None else _day(named, today)
    if hour is None:
        return Moment(day, day + DAY, kind, False, False, 0, 0)
    count = int(hour["clock"]) if hour["clock"] else _number(hour["hour"])
    minutes = int(hour["past"] or 0) if hour["clock"] else 30 if hour["half"] else _number(hour["minute"] or "")
    part = hour["part"] or ("晚" if named is not None and named[0][-1] in "晚夜" else "")
    late = bool(part) and part not in _EARLY
    sure = bool(part) or count > 12 or count < DAWN
    count += 12 * (count < 12 and (late or (not part and count < DAWN)))
    at = day + count * HOUR + timedelta(minutes=minutes)
    if at <= said and kind is Kind.CLOCK:
        at += DAY if sure else DAY / 2
        sure = True
    return Moment(at, at if sure else at.replace(hour=0, minute=0) + DAY, kind, True, False, 0, 0)


def _day(found: re.Match[str], today: datetime) -> tuple[datetime, Kind]:
    """The day that is named, its midnight."""
    if found["month"]:
        day = datetime(today.year, int(found["month"]), int(found["date"]))
        return (day if day >= today else day.replace(year=today.year + 1)), Kind.DATE
    name = found["weekday"] or found["named"]
    if name:
        weekday = (_WEEK if found["named"] else _WEEK_BY_NUMBER).index("日" if name == "天" else name)
        if found["next"]:
            return today + (7 + weekday - today.weekday()) * DAY, Kind.DATE
        return today + ((weekday - today.weekday() - 1) % 7 + 1) * DAY, Kind.WEEKDAY
    return today + (2 if found[0] == "明後日" else _DAYS[found[0][0]]) * DAY, Kind.DATE


def _number(text: str) -> int:
    """A number in figures or Chinese characters, below 100.

    >>> _number("二十五"), _number("十"), _number("7")
    (25, 10, 7)
    """
    if not text or (text.isascii() and text.isdigit()):
        return int(text or 0)
    tens, ten, ones = text.rpartition("十")
    digits = "零一二三四五六七八九"
    value = digits.index(ones.replace("两", "二")) if ones else 0
    return value + (10 * (digits.index(tens) if tens else 1) if ten else 0)
