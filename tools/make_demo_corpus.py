"""Write the demo corpus: made-up e-mail announcements with their fields labelled.

Each e-mail is composed from facts (who speaks where, when and on what) and from frames, which are
sentences with slots. A slot in capitals, such as {STIME}, is labelled with its name up to the
first underscore; one in small letters is not, so that {before}, when the coffee is served, looks
like a start time but is none. All people, places and titles are invented. A third of each list of
them is kept from the training file, so that the test file shows how well a tagger generalises.
Every twelfth e-mail of the training file is also in few.conll, for when little is labelled; all
e-mails of both files are in emails.conll, which shows where each begins. Those of unlabelled.txt
and mails.txt are text alone.

    python tools/make_demo_corpus.py [FOLDER]
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from dovetail.corpus import tokenize

FOLDER = Path(__file__).parents[1] / "src" / "dovetail" / "demo"
Facts = Mapping[str, Sequence[str]]
Kind = list[tuple[str, int, int]]  # sections, with the least and the greatest number of lines
Piece = tuple[str, str]  # a stretch of text, and its field or ""


def items(block: str, between: str = "[;\n]") -> list[str]:
    return [item.strip() for item in re.split(between, block.strip())]


GIVEN_NAMES = items(
    """
Aisha Alasdair Amara Anneke Anton Beatriz Bjorn Bronwen Camille Cecily Chidi Clara Cormac Daniel
Davina Dmitri Edith Elif Emeka Esther Farid Fatima Felix Fiona Gareth Giulia Greta Gustav Hana
Harriet Hugo Ines Ingrid Isaac Ivo Jasper Joanna Jun Kaito Karim Katya Kofi Lars Leila Lena Linh
Lucía Magnus Malik Marta Mei Miriam Mohan Nadia Naomi Nikhil Nora Oksana Olivia Omar Oscar Paloma
Pavel Petra Priya Quentin Rafael Renata Rohan Rosalind Ruth Samir Sigrid Silvia Sofia Stellan
Tamsin Tariq Thabo Tobias Uma Valentina Vikram Wei Winifred Xavier Yara Zainab Zoltán
""",
    r"\s+",
)

FAMILY_NAMES = items(
    """
Abernathy Achterberg Adeyemi Almqvist Amrani Ashdown Baptista Barlow Belhadj Birkeland Bramwell
Brennick Calder Castellane Chaudhry Chen Corrigan Dalgaard Desrosiers Dziedzic Ekdahl Ellingham
Eriksen Fairweather Fenwick Ferreira Gallardo Garrick Ghorbani Hadley Halvorsen Hashimoto Havelka
Hoang Holloway Ibarra Idowu Ivanov Jankowski Jørgensen Kaminski Kessler Kimura Kowalczyk Lacroix
Larkin Lindqvist Lovell Macallan Madaki Marchetti Mehta Moreau Mwangi Nakagawa Ndiaye Novotny
Oakes O'Dowd Okafor Olawale Osei Papadakis Pellegrin Petrov Quigley Rahimi Ravenscroft Rossiter
Sandoval Sartori Silveira Sorensen Stavrou Sundaram Tanaka Thornbury Tran Ueda Vasquez Verhulst
Voss Wexford Whitlock Wójcik Yusuf Zawada Zeller Zhao
""",
    r"\s+",
)

TOWNS = items(
    """
Ashcombe Brackwater Castelmare Dunmorrow Elmsworth Fallowfen Glenharrow Kestrelby Larkhaven
Marrowby Nordhaven Norwick Osterby Ravensmouth Saltmere Tarnvale Velden Wychford
""",
    r"\s+",
)

BUILDINGS = items("""
Alder House;Ambrose Hall;Baxley Hall;Beacon Centre;Brightwater Building;Carrow Court;Clayborne Hall
Cobalt Building;Corven Laboratory;Dunstable Wing;Eastgate Tower;Fernley Hall;Foundry Building
Galloway Centre;Granary Building;Hollis Hall;Ironbridge House;Juniper Building;Kelder Library
Larch Hall;Lockwood Centre;Maltings Annexe;Marlow Building;Meridian Tower;Northfield House
Old Observatory;Orchard Building;Pendle Hall;Quarry House;Rookery Building;Rushmore Institute
Sable Court;Seaton Hall;Tamar Building;Thistle House;Umber Hall;Vantage Building;Wendover Hall
Westerly Wing;Wren Building;Yarrow Centre;Zephyr House
""")

NAMED_ROOMS = items("""
Amber Room;Aldous Lounge;Banksia Suite;Boathouse;Cedar Room;Chartist Room;Clocktower Café
Common Room;Corner Gallery;Drawing Office;Engine Shed;Founders' Library;Garden Pavilion
Glasshouse Auditorium;Great Hall;Heron Suite;Lantern Theatre;Map Room;Mason Auditorium
Old Customs House;Peacock Lounge;Planetarium;Porter's Lodge;Refectory;Reed Auditorium
River Terrace;Senate Chamber;Tamarind Room;Tapestry Room;Tithe Barn;Upper Gallery;Vaulted Cellar
Weavers' Hall;Winter Garden
""")

TITLES = items("""
Learning to Label with Very Few Examples
What Bees Can Teach Us about Scheduling
Robust Planning under Shifting Goals
The Hidden Geometry of Crowded Data
Bridges, Tunnels and Trust: Engineering for Public Consent
Reading the Margins of Medieval Ledgers
A Short History of Long Sentences
Why Do Languages Lose Their Endings?
Cheap Sensors for Expensive Rivers
Sparse Models and the Art of Forgetting
Compilers That Explain Themselves
From Seed to Server: Computing in Modern Agriculture
Noise, Signal, and the Space Between
Measuring Poverty from Rooftop Images
Proofs You Can Hold in Your Hand
Slow Glaciers, Fast Algorithms
Caching Strategies for Forgetful Robots
Designing Cities for the Elderly
How Markets Remember
Tidal Power at the Edge of the Grid
Three Lessons from a Failed Telescope
Speech Recognition for Endangered Languages
Counting Whales by Ear
Folding Proteins in the Browser
Randomness as a Public Good
The Economics of Shared Kitchens
Teaching Machines to Say Sorry
Memory Safety without Tears
Graphs That Grow: Dynamic Networks in Epidemiology
Lullabies and Logic
Towards quieter hospitals
Verification of Railway Interlockings
Salt, Silk and Statistics
Bayesian Methods for Small Museums
Can a Spreadsheet Be a Programming Language?
Detecting Forgery in Digitised Newspapers
Energy-Aware Routing in Mountain Villages
Deep Water: Robots below the Ice Shelf
On the Complexity of Folding Maps
Weather Without Borders
The Grammar of Birdsong
Fair Division of Indivisible Chores
Approximate Answers to Exact Questions
Rethinking Peer Review
Growing Bone from Coral
Privacy in the Age of Smart Doorbells
Streaming Algorithms for Satellite Data
A Field Guide to Broken Software
Music, Mathematics and Mistakes
Quantum Clocks for Everyday Navigation
Old Maps, New Methods
Causal Inference when Everything Is Connected
Building Trustworthy Tools for Translators
Stories We Tell with Charts
The Last Ten Metres: Delivery Robots on Real Pavements
Type Systems for the Working Chemist
Mapping Soil with Citizen Scientists
Parsing at the Speed of Light
Vaccines, Trust and Rumour in Port Cities
Optimal Stopping in Second-Hand Markets
Looking for Water on Small Moons
Interactive Theorem Proving for Beginners
When Should a Robot Apologise?
Bread, Yeast and Data
Coral Reefs as Distributed Systems
The Mathematics of Queueing for Lunch
Transfer Learning across Dialects
Fire, Forest, Forecast
Simulating crowds in historic theatres
Low-Cost Prosthetics for Growing Children
Beyond Accuracy: Calibrated Models for the Clinic
Listening to Volcanoes
Hashing, Sketching, Sampling
Law and Order in Open Source Communities
Symmetry Breaking in Woven Materials
Tiny Languages for Big Telescopes
Who Owns the Sound of a City?
Lattices in Cryptography and in Crystal Growth
Semantic Search for Parish Records
Dancing with Drones
The Rise and Fall of Canal Companies
Unsupervised discovery of word classes
Shape Analysis of Fossil Leaves
Concurrency Bugs and How to Love Them
Ageing Dams in a Warmer World
Reasoning about Time in Clinical Notes
Playful Interfaces for Serious Science
Sound Change and Social Networks
Self-Healing Concrete
Automata, Alphabets and Antibodies
""")

# Titles are also put together from a beginning and an end.
TITLE_BEGINNINGS = items("""
Cheap Sensors;Simple Rules;Hidden Patterns;Fast Approximations;Shared Memory;Local Knowledge
Small Models;Honest Statistics;Gentle Robots;Open Questions;Living Archives;Noisy Labels
Sparse Networks;Trust and Doubt;Lost Recipes;Careful Guesses;New Tools;Fragile Systems
Public Data;Slow Science;Better Maps;Early Warnings;Broken Symmetries;Quiet Revolutions
""")
TITLE_ENDINGS = items("""
for Mountain Villages;in Crowded Cities;under the Ice;for Everyday Medicine;in the Deep Sea
of the Northern Coast;across Borders;for Curious Beginners;in Modern Agriculture;after the Flood
without Supervision;on a Small Budget;at the Edge of the Network;in Early Childhood
for Working Scientists;between Two Languages;in Times of Change;for Rare Diseases
from Satellite Images;in Medieval Towns;for the Next Hundred Years;with Limited Resources
behind the Museum;among Friends
""")

TOPICS = items("""
sequence models;urban transport;marine robotics;medieval trade;crop monitoring;network security
speech processing;soil chemistry;program verification;public health;data journalism
graph algorithms;museum archives;renewable energy;machine translation;satellite imaging
behavioural economics;computational geometry;hearing aids;language documentation;tissue engineering
flood forecasting;music cognition;open hardware
""")

UNITS = items("""
Department of Statistics;School of Informatics;Centre for Ocean Studies;Institute of Linguistics
Faculty of Engineering;Data Science Group;Department of History;Robotics Laboratory
School of Public Policy;Materials Research Unit;Department of Economics;Language Technology Group
""")

# Small phrases that frames of any section may use.
PHRASES = {
    "quoted": ['"{TITLE}"'] * 3 + ["“{TITLE}”", "*{TITLE}*"],
    "from_to": [
        "from {STIME} to {ETIME}",
        "from {STIME} until {ETIME}",
        "between {STIME} and {ETIME}",
        "{STIME_BARE} - {ETIME}",
        "at {STIME}",
        "at {STIME}",
        "starting at {STIME}",
    ],
    "span": [
        "{STIME_BARE} - {ETIME}",
        "{STIME} to {ETIME}",
        "{STIME_BARE}–{ETIME}",
        "{STIME}",
        "{STIME}",
    ],
    "series": [
        "{unit} seminar",
        "{unit} colloquium",
        "Brown Bag series",
        "Friday Forum",
        "Early Career Lecture series",
        "Distinguished Lecture series",
        "Lunchtime Talk series",
        "Frontiers lecture series",
    ],
    "work": [
        "recent work on {topic}",
        "ten years of work on {topic}",
        "joint work with {third}",
        "new results in {topic}",
        "an unlikely link between {topic} and {topic_2}",
        "the tools that the {unit} has built for {topic}",
    ],
    "food": ["Coffee and cake", "Tea and biscuits", "A light lunch", "Pizza", "Sandwiches"],
}

FRAMES = {
    "subject_talk": """
        Subject: {series}: {TITLE}
        Subject: {SPEAKER} on {TITLE}, {DATE}
        Subject: [talks] {SPEAKER} ({home}), {DATE}, {STIME}
        Subject: Reminder: talk by {SPEAKER} today at {STIME}
        Subject: Seminar {DATE}: {SPEAKER}, "{TITLE}"
        Subject: Change of room for {SPEAKER_SHORT}'s talk, now {at_place}
        Subject: {DATE}, {STIME}, {LOCATION}: {TITLE}
        Subject: Next week in the {series}
        Subject: Fwd: {SPEAKER}, {org}, speaks on {DATE}
    """,
    "title": """
        Title: {TITLE}
        Title: {TITLE}
        TITLE: {TITLE}
        Topic: {TITLE}
        Title of talk: {TITLE}
        Talk: "{TITLE}"
        *** {TITLE} ***
        "{TITLE}"
        {TITLE}
    """,
    "speaker": """
        Speaker: {SPEAKER}, {org}
        Speaker: {SPEAKER} ({unit}, {org})
        SPEAKER: {SPEAKER}
        Who: {SPEAKER}, {unit}
        Presenter: {SPEAKER}, {org}
        Name: {SPEAKER}
        by {SPEAKER}, {unit}, {org}
        {SPEAKER}, {org}
        Guest speaker: {SPEAKER}, head of the {unit}, {org}
        Speakers: {SPEAKER} and {SPEAKER_OTHER}, {org}
        with {SPEAKER} and {SPEAKER_OTHER}
    """,
    "when": """
        When: {DATE}, {span}
        When: {DATE} at {STIME}
        Date: {DATE}
        Date and time: {DATE}, {span}
        Time: {span}
        Time: {span} ({food} from {before})
        DATE: {DATE} TIME: {span}
        Dates: {DATE}, {span}
        Day/time: {DATE}, {span}
        Start: {STIME} End: {ETIME}
        {DATE}, {span}
        {DATE}, {span}, {LOCATION}
        Doors: {before} Start: {STIME}
    """,
    "where": """
        Where: {LOCATION}
        Place: {LOCATION}
        Location: {LOCATION}
        Venue: {LOCATION}, {org}
        PLACE: {LOCATION}
        Room: {LOCATION}
        Where: {LOCATION} (coffee afterwards {at_other})
        Venue: {LOCATION} (step-free access from {town} Street)
        {LOCATION}, {org}
    """,
    "people": """
        Host: {host}
        Host: {host} ({unit})
        Contact: {third}, extension {phone}
        Organisers: {host}, {third}
        Chair: {host}
        Posted by: {third}, {unit}
        From: {third} <{mail}>
        Appointments: please write to {third} ({mail}), office: {other_place}
        Discussant: {host}, {org_2}
    """,
    "opening_talk": """
        On {DATE} {SPEAKER} of {org} will give a talk {at_place} {from_to}.
        The {series} continues on {DATE} with {SPEAKER}, who will speak on {quoted}.
        We are delighted to welcome {SPEAKER} ({org}) {at_place} on {DATE} {from_to}.
        Please join us {from_to} {at_place} for {quoted}, a talk by {SPEAKER}.
        The next speaker in the {series} is {SPEAKER} from the {unit}, {org}.
        {SPEAKER} will be visiting the {unit} on {DATE} and has kindly agreed to speak on {quoted}.
        Just a reminder that {SPEAKER}'s seminar, {quoted}, starts {at_place} at {STIME} today.
        This week's talk, {quoted}, will be given by {SPEAKER} of {org}.
        {host} has invited {SPEAKER} to present {work} on {DATE} {from_to}.
        In {quoted}, {SPEAKER} will report on {work}.
        Our guest on {DATE} is {SPEAKER}, a colleague of {host} at {org}.
        The talk begins at {STIME} sharp {at_place} and will be over by {ETIME}.
        It will take place {at_place} on {DATE}, {from_to}, and not at {before} as first announced.
        As {third} is ill, {SPEAKER} has stepped in and will speak on {quoted} instead.
        There will be a seminar {at_place} on {DATE}; {SPEAKER} will tell us about {work}.
        I am happy to announce that {SPEAKER} ({unit}) will speak to us {at_place} at {STIME}.
        Come and hear {SPEAKER} of the {unit} on {quoted} this coming {DATE_SHORT}.
        We meet {at_place} at {STIME}; {SPEAKER_SHORT} needs to leave for the train at {late}.
    """,
    "abstract": """
        Abstract: In this talk {SPEAKER_SHORT} will present {work}, and ask what is still missing.
        Abstract: Most methods in {topic} assume that data are plentiful; in practice they are not.
        Abstract: I will describe {work}, with examples taken from {topic_3}.
        Summary: {SPEAKER_SHORT} will look back on {work}, and forward to what comes next.
        Abstract: Much has been written about {topic}, but little of it by those who live from it.
        Abstract: We show that two ideas from {topic} carry over to {topic_2} at little cost.
        Much of the work was done with {third} and {host} while visiting {org_2}.
        The method has been in daily use at {org_2} since {month}, with encouraging results.
        The talk closes with a live demonstration and some open questions about {topic}.
        No knowledge of {topic} is needed, but some acquaintance with {topic_2} will help.
        The results, first shown at the {town} meeting on {other_date}, have since been confirmed.
        Drawing on interviews with {third} and others, the talk asks who profits from {topic}.
        A pilot with {number} volunteers in {town} ran every night from {night} to {early}.
        The first part is a gentle introduction to {topic}; the second part reports on {work}.
        {SPEAKER_SHORT} will also compare the approach with that of {third} at {org_2}.
    """,
    "bio": """
        {SPEAKER} is a lecturer in the {unit} at {org} and works mainly on {topic}.
        {SPEAKER_SHORT} studied in {town} under {third} and has led the {unit} since {year}.
        Bio: {SPEAKER} holds a doctorate from {org_2}, where {third} was the supervisor.
        Before joining {org} in {year}, {SPEAKER_SHORT} spent six years in {town} with {third}.
        About the speaker: {SPEAKER} is best known for {work}.
        {SPEAKER_SHORT} shared the {town} Prize with {third} in {year} for {work}.
        Together with {third}, {SPEAKER} edits the journal "Notes on {topic}".
        {SPEAKER} grew up in {town} and now divides the week between {org} and {org_2}.
        {SPEAKER_SHORT}'s latest book, written with {third}, deals with {topic} and {topic_2}.
    """,
    "logistics": """
        {food} will be served {at_other} from {before}.
        {food} will be available {at_other} after the talk, from about {late}.
        {SPEAKER_SHORT} will be free for meetings {at_other} between {early} and {noon}.
        If you would like to meet {SPEAKER_SHORT}, please contact {third} by {other_date}.
        Please write to {third} ({mail}) before {other_date} if you wish to join us for dinner.
        Visitors can collect a badge {at_other}, which closes at {night}.
        Dinner will be {at_other} at {night}; please tell {host} if you want to come.
        Parking is available behind {other_place} until {night}; please bring this e-mail with you.
        The lift next to {other_place} is out of order until {later_date}; please allow extra time.
        Those who cannot come can follow the stream; ask {third} for the link before {noon}.
        Slides from the talk of {other_date} by {third} are now on the web page.
        Note that the seminar by {third} planned for {later_date} {at_other} has been cancelled.
        The room has changed from {other_place} to {the_place}; we still start at {STIME}.
        For questions call {third} on {phone} between {early} and {noon} on weekdays.
        A recording will be posted by {third} on {later_date}.
        A shuttle bus leaves {other_place} at {before} and returns at {late}.
        The doors of {the_place} open at {before}, and latecomers will not be admitted.
        The session will end at {ETIME} at the latest, since the room is needed again at {late}.
        Lunch with the speaker is at {noon} {at_other}; sign up with {third} by {other_date}.
        {host} will introduce the speaker, and {third} will lead the discussion.
    """,
    "closing": """
        All are welcome, and no registration is needed; bring a friend from the {unit}.
        Please forward this to anyone in the {unit} who may be interested.
        Hope to see many of you there, {host}
        With best wishes from {town}, {third}
        See you on {DATE} {at_place}!
        See you at {STIME}!
        To leave this list, write to {mail}.
        -- {third}, {unit}, {other_place}, tel. {phone}
        Thanks to {host} for organising the series and to {third} for the posters.
    """,
    "subject_workshop": """
        Subject: Places left: {TITLE} (workshop, {DATE})
        Subject: Hands-on workshop with {SPEAKER}, {DATE}
        Subject: Tutorial on {topic}, {DATE}, {LOCATION}
        Subject: Training: {TITLE}
        Subject: Workshop on {topic}, please register by {other_date}
    """,
    "opening_workshop": """
        The {unit} is offering a workshop, {quoted}, on {DATE} {from_to} {at_place}.
        {SPEAKER} ({org}) will teach a hands-on session on {topic} {at_place} {from_to}.
        This tutorial, led by {SPEAKER} and {SPEAKER_OTHER}, will be held on {DATE} {from_to}.
        A few places are left for {quoted}, the workshop that {SPEAKER} will hold on {DATE}.
        We start at {STIME} with a short lecture by {SPEAKER} and finish at {ETIME}.
        {SPEAKER_SHORT} will give the first session, and {SPEAKER_OTHER} takes over after the break.
        Our annual workshop on {topic} will be held {at_place}, {from_to}, on {DATE}.
        The course is taught by {SPEAKER}, with help from assistants of the {unit}.
    """,
    "detail_workshop": """
        Bring a laptop with at least {number} GB of free space and arrive by {before} for help.
        Places are limited to {number}; register with {third} ({mail}) by {other_date}.
        There is a short break halfway, and coffee will be waiting {at_other}.
        The fee of {number} euros is waived for students; ask {host} for a form.
        Participants will work in pairs on data about {topic} collected by {third}.
        A similar course by {third} was held {at_other} on {other_date} and was full within hours.
        If there is demand, {host} will repeat the session on {later_date} at {noon}.
    """,
    "subject_social": """
        Subject: Annual dinner, {DATE}, {LOCATION}
        Subject: Farewell party for {third} on {DATE}
        Subject: Annual reception {at_place}, {DATE}, {STIME}
        Subject: {unit} dinner: please reply by {other_date}
        Subject: Quiz night this {DATE_SHORT} at {STIME}
    """,
    "opening_social": """
        The annual dinner of the {unit} takes place {at_place} on {DATE}, beginning at {STIME}.
        We will say goodbye to {third} with drinks {at_place} {from_to} on {DATE}.
        You are warmly invited to the annual reception {at_place} on {DATE} {from_to}.
        The after-dinner speech, {quoted}, will be given by {SPEAKER} of {org}.
        After the meal {SPEAKER} will say a few words about {work}.
        Our quiz night returns on {DATE}: {at_place}, {from_to}, with {host} as quizmaster.
        Please be seated by {STIME}; the evening will end around {ETIME}.
        {host} and {third} look forward to seeing you {at_place} at {STIME} on {DATE}.
        To celebrate the prize won by {third}, we meet {at_place} on {DATE} at {STIME}.
    """,
    "detail_social": """
        Tickets cost {number} euros and can be bought from {host} {at_other} until {other_date}.
        Please tell {host} about allergies and diets before {noon} on {other_date}.
        A bus will leave from {other_place} at {before} and go back to {town} at {night}.
        The bar stays open until {night}, and taxis can be ordered {at_other}.
        The last dinner on {other_date} drew {number} guests, so reply to {mail} soon.
        Partners and children are welcome; {host} is arranging games {at_other} from {before}.
        The present for {third} can be seen (and signed) {at_other} until {other_date}.
    """,
    "subject_call": """
        Subject: Call for participation: {TITLE}, {town}, {DATE}
        Subject: CFP: Symposium on {topic} ({DATE}), deadline {other_date}
        Subject: Second call for posters, {unit} day, {DATE}
        Subject: Registration open: {TITLE}
    """,
    "opening_call": """
        We invite students and staff to take part in {quoted}, to be held {at_place} on {DATE}.
        The symposium {quoted} will bring together people from {topic} and {topic_2}.
        The meeting will be opened by {SPEAKER} ({org}) at {STIME} {at_place}.
        Invited speakers are {SPEAKER} ({org}) and {SPEAKER_OTHER} ({org_2}).
        The keynote lecture, {quoted}, will be delivered by {SPEAKER} of the {unit}, {org}.
        The symposium runs from {STIME} to {ETIME} on {DATE}, and all sessions are {at_place}.
        {SPEAKER} has agreed to give the keynote, and {host} will chair the panel on {topic}.
        The poster session opens {at_place} at {STIME} and closes at {ETIME}.
    """,
    "detail_call": """
        Abstracts of up to {number} words should reach {third} ({mail}) by {other_date}.
        Important dates: submission {other_date}, notification two weeks later.
        The programme committee is chaired by {host} and {third}, both of {org_2}.
        Topics of interest include {topic}, {topic_2} and anything that lies between them.
        Registration opens on {other_date} and costs {number} euros, with lunch included.
        The registration desk {at_other} opens at {early} and is staffed until {night}.
        Authors of accepted posters should hang them {at_other} before {noon}.
        Travel grants are available; write to {third} at {org_2} before {other_date}.
        Last year's meeting was organised by {third} in {town} and had {number} participants.
    """,
    "subject_defence": """
        Subject: Thesis defence, {SPEAKER}, {DATE}
        Subject: PhD defence: {TITLE}
        Subject: Invitation to the public examination of {SPEAKER}
    """,
    "header_defence": """
        Candidate: {SPEAKER}, {unit}
        Thesis: {TITLE}
        Candidate: {SPEAKER}
        Committee: {host} (chair), {third}, and an external member from {org_2}
        Supervisor: {host}, {unit}
        Thesis title: {TITLE}
        Opponent: {third}, {org_2}
    """,
    "opening_defence": """
        {SPEAKER} will defend the thesis {quoted} on {DATE} at {STIME} {at_place}.
        The public defence of {SPEAKER}'s thesis begins at {STIME} {at_place}.
        On {DATE} {at_place}, {SPEAKER} will answer questions on the thesis {quoted}.
        The examiners are {third} ({org_2}) and {host}; the defence ends by {ETIME}.
        The thesis can be read {at_other} until {other_date}, or obtained from {third}.
        A reception {at_other} will follow at about {late}, once the committee has decided.
    """,
}

TALK: Kind = [
    ("subject_talk", 1, 1),
    ("title", 0, 1),
    ("speaker", 0, 1),
    ("when", 0, 1),
    ("where", 0, 1),
    ("opening_talk", 1, 2),
    ("people", 0, 1),
    ("abstract", 0, 1),
    ("bio", 0, 1),
    ("logistics", 0, 1),
    ("closing", 0, 1),
]
WORKSHOP: Kind = [
    ("subject_workshop", 1, 1),
    ("title", 0, 1),
    ("speaker", 0, 1),
    ("when", 0, 1),
    ("where", 0, 1),
    ("opening_workshop", 1, 2),
    ("detail_workshop", 0, 1),
    ("bio", 0, 1),
]
SOCIAL: Kind = [
    ("subject_social", 1, 1),
    ("when", 0, 1),
    ("where", 0, 1),
    ("opening_social", 1, 2),
    ("detail_social", 0, 1),
]
CALL: Kind = [
    ("subject_call", 1, 1),
    ("when", 0, 1),
    ("where", 0, 1),
    ("opening_call", 1, 2),
    ("detail_call", 0, 1),
]
DEFENCE: Kind = [
    ("subject_defence", 1, 1),
    ("when", 0, 1),
    ("where", 0, 1),
    ("header_defence", 0, 2),
    ("opening_defence", 1, 2),
    ("closing", 0, 1),
]
KINDS = [TALK, TALK, TALK, WORKSHOP, SOCIAL, CALL, DEFENCE]

DAYS = items("Monday Tuesday Wednesday Thursday Friday", " ")
MONTHS = items(
    "January February March April May June July August September October November December", " "
)
HOURS = items("twelve one two three four five six seven eight nine ten eleven", " ")


class Draw:
    """Random choices; ``unseen`` is the chance to draw from what the training file lacks."""

    def __init__(self, seed: int, unseen: float) -> None:
        # Of all methods only random() is promised to give the same numbers in every Python.
        self._random = random.Random(seed).random
        self._unseen = unseen

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def number(self, low: int, high: int) -> int:
        return low + int(self._random() * (high - low + 1))

    def any(self, choices: Sequence[str]) -> str:
        return choices[self.number(0, len(choices) - 1)]

    def listed(self, choices: Sequence[str]) -> str:
        """An item of a list of which every third is unseen in training."""
        unseen = self.chance(self._unseen)
        return self.any([item for i, item in enumerate(choices) if (i % 3 == 2) == unseen])

    def several(self, choices: Sequence[str], count: int) -> list[str]:
        """Different items of such a list."""
        chosen: dict[str, None] = {}
        while len(chosen) < count:
            chosen[self.listed(choices)] = None
        return list(chosen)

    def frames(self, section: str, count: int) -> list[str]:
        """Different frames of a section: the first are the most common, as in real mail."""
        frames = items(FRAMES[section], "\n")
        chosen: dict[str, None] = {}
        while len(chosen) < count:
            chosen[frames[int(len(frames) * self._random() ** 2)]] = None
        return list(chosen)


def place(draw: Draw) -> tuple[str, str]:
    """A room or building, after its article if it takes one."""
    if draw.chance(0.4):
        room = draw.listed(NAMED_ROOMS)
        return "the ", room if draw.chance(0.7) else f"{room}, {draw.listed(BUILDINGS)}"
    building = draw.listed(BUILDINGS)
    number = draw.any(["{}", "{}", "B{}", "3.{}"]).format(draw.number(10, 420))
    form = draw.any(
        [
            f"Room {number}, {building}",
            f"Room {number}, {building}",
            f"{building}, Room {number}",
            f"{building}, Room {number}",
            f"{building} {number}",
            f"{number} {building}",
            f"Lecture Theatre {draw.number(1, 9)}, {building}",
            f"Seminar Room {draw.any('ABCDE')}",
            f"Room {number}",
            f"{''.join(word[0] for word in building.split())} {number}",
            building,
        ]
    )
    takes_article = form == building and not building.endswith(("Hall", "House", "Court"))
    return "the " if takes_article else "", form


PLACED = (["in"], ["in", "in", "at"])  # places without an article, and with one
CLOCKS = ["3:30 pm"] * 3 + ["3:30 p.m.", "3.30 pm", "3:30pm", "15:30", "15:30", "15.30", "words"]


def clock(minutes: int, style: str) -> str:
    """A time of day in one of the styles above; in words only if it is an hour or a half."""
    hour, minute = divmod(minutes, 60)
    if style == "words" and minute in (0, 30):
        return f"half past {HOURS[hour % 12]}" if minute else f"{HOURS[hour % 12]} o'clock"
    if style.startswith("15"):
        return f"{hour}{style[2]}{minute:02}"
    if minutes == 12 * 60:
        return "noon"
    point = "." if style == "3.30 pm" else ":"
    digits = f"{(hour - 1) % 12 + 1}" + (f"{point}{minute:02}" if minute else "")
    half = ("am", "pm")[hour >= 12]
    return digits + {"3:30 p.m.": f" {half[0]}.m.", "3:30pm": half}.get(style, f" {half}")


def bare(time: str) -> str:
    """A time without am or pm, as the first of two is often written."""
    return re.sub(r" ?[ap]\.?m\.?$", "", time)


def calendar_day(day: date, style: int) -> str:
    weekday, month = DAYS[day.weekday()], MONTHS[day.month - 1]
    return (
        f"{weekday}, {day.day} {month}",
        f"{weekday} {day.day} {month} {day.year}",
        f"{day.day} {month}",
        f"{month} {day.day}",
        f"{weekday}, {month} {day.day}",
        f"{weekday[:3]} {day.day} {month[:3]}",
        f"{weekday[:3]}, {day.day} {month[:3]} {day.year}",
        f"{day.day}/{day.month}/{day.year}",
        f"{month[:3]} {day.day}, {day.year}",
        weekday,
    )[style]


def workday(day: date) -> date:
    return day - timedelta(max(0, day.weekday() - 4))


def title(draw: Draw) -> str:
    if draw.chance(0.5):
        return draw.listed(TITLES)
    return f"{draw.listed(TITLE_BEGINNINGS)} {draw.listed(TITLE_ENDINGS)}"


def speaker(given: str, family: str, draw: Draw, *, doctor: bool) -> tuple[list[str], list[str]]:
    """Ways to write a speaker's name: in full, and when named before."""
    plain = f"{given} {family}"
    if draw.chance(0.15):
        plain = f"{given} {draw.any('ABCDEFGHJKLMRST')}. {family}"
    if not doctor:
        return [plain], [family, given, plain]
    honorific = draw.any(["Dr.", "Dr.", "Dr", "Prof.", "Professor"])
    return [f"{honorific} {plain}"] * 3 + [plain], [f"{honorific} {family}"]


def facts_of_email(draw: Draw, kind: Kind) -> Facts:
    """What an e-mail tells, as the values that each slot can take."""
    given, family = draw.several(GIVEN_NAMES, 4), draw.several(FAMILY_NAMES, 4)
    host, third = (f"{given[i]} {family[i]}" for i in (2, 3))
    town, town_2 = draw.several(TOWNS, 2)
    unit = draw.listed(UNITS)
    topics = draw.several(TOPICS, 3)
    (article, location), (other_article, other) = place(draw), place(draw)
    day = workday(date(2024, 1, 8) + timedelta(draw.number(0, 700)))
    day_style, other_style = draw.number(0, 8), draw.number(0, 9)
    past = workday(day - timedelta(draw.number(4, 25)))
    future = workday(day + timedelta(draw.number(7, 25)))
    style = draw.any(CLOCKS)
    hours = (17, 19) if kind is SOCIAL else (9, 16)
    start = 60 * draw.number(*hours) + int(draw.any(["0", "0", "0", "15", "30", "30", "45"]))
    end = start + int(draw.any(["45", "60", "60", "90", "120"]))
    doctor = kind is not DEFENCE and draw.chance(0.7)
    full, short = speaker(given[0], family[0], draw, doctor=doctor)
    return {
        "SPEAKER": full,
        "SPEAKER_SHORT": short,
        "SPEAKER_OTHER": speaker(given[1], family[1], draw, doctor=doctor)[0],
        "host": [host] * 6 + [f"Dr. {host}"],
        "third": [third] * 6 + [f"Prof. {third}"],
        "TITLE": [title(draw)],
        "LOCATION": [location],
        "at_place": [f"{draw.any(PLACED[bool(article)])} {article}{{LOCATION}}"],
        "the_place": [f"{article}{{LOCATION}}"],
        "at_other": [f"{draw.any(PLACED[bool(other_article)])} {other_article}{other}"],
        "other_place": [f"{other_article}{other}"],
        "STIME": [clock(start, style)],
        "STIME_BARE": [bare(clock(start, style))],
        "ETIME": [clock(end, style)],
        "before": [clock(start - 15 * draw.number(1, 3), style)],
        "late": [clock(end + 30 * draw.number(1, 4), style)],
        "night": [clock(max(end + 60, 60 * 19) + 30 * draw.number(0, 3), style)],
        "early": [clock(60 * 8 + 30 * draw.number(0, 3), style)],
        "noon": [clock(60 * 12 + 15 * draw.number(0, 4), style)],
        "DATE": [calendar_day(day, day_style), calendar_day(day, draw.number(0, 8))],
        "DATE_SHORT": [calendar_day(day, 9)],
        "other_date": [calendar_day(past, other_style)],
        "later_date": [calendar_day(future, other_style)],
        "month": [MONTHS[past.month - 1]],
        "year": [str(day.year - draw.number(2, 20))],
        "number": [str(10 * draw.number(2, 15))],
        "phone": [str(draw.number(2000, 9999))],
        "mail": [f"{third.split()[0].lower()}@{town.lower()}.example"],
        "home": [town],
        "town": [town_2],
        "org": [f"{town} University"],
        "org_2": [f"{town_2} {draw.any(['Polytechnic', 'Institute of Technology'])}"],
        "unit": [unit],
        "topic": [topics[0]],
        "topic_2": [topics[1]],
        "topic_3": [topics[2]],
    }


def fill(frame: str, facts: Facts, draw: Draw) -> Iterator[Piece]:
    """The pieces of a frame whose slots are filled, slots within slots included."""
    for i, part in enumerate(re.split(r"\{(\w+)\}", frame)):
        if i % 2 == 0:
            yield part, ""
        elif part.isupper():
            yield draw.any(facts[part]), part.split("_")[0]
        else:
            yield from fill(draw.any(facts.get(part) or PHRASES[part]), facts, draw)


def compose_email(draw: Draw) -> list[list[Piece]]:
    """The lines of one e-mail, all about the same event."""
    kind = KINDS[draw.number(0, len(KINDS) - 1)]
    facts = facts_of_email(draw, kind)
    lines = []
    for section, least, most in kind:
        for frame in draw.frames(section, draw.number(least, most)):
            lines.append(list(fill(frame, facts, draw)))
    return lines


def compose(draw: Draw, lines: int, seen: set[str]) -> list[list[list[Piece]]]:
    """E-mails of so many lines in all, none of which has been seen before."""
    emails: list[list[list[Piece]]] = []
    while lines > 0:
        email = []
        for line in compose_email(draw)[:lines]:
            if plain_text(line) not in seen:
                seen.add(plain_text(line))
                email.append(line)
        emails.append(email)
        lines -= len(email)
    return emails


def plain_text(line: Sequence[Piece]) -> str:
    text = ""
    for piece, _ in line:
        # The full stop of "p.m." ends the sentence, too.
        text += piece[1:] if text.endswith(".") and piece.startswith(".") else piece
    return text


def labelled_tokens(line: Sequence[Piece]) -> list[tuple[str, str]]:
    """The tokens of a line with their IOB2 labels."""
    label_at: dict[int, str] = {}
    for i, (piece, field) in enumerate(line):
        start = len(plain_text(line[:i]))
        if field:
            label_at |= dict.fromkeys(range(start, start + len(piece)), f"I-{field}")
            label_at[start] = f"B-{field}"
    text = plain_text(line)
    return [(text[start:end], label_at.get(start, "O")) for start, end in tokenize(text)]


def conll(emails: Sequence[Sequence[Sequence[Piece]]]) -> str:
    """The lines of e-mails, a token a line, with a blank line between them."""
    return "\n".join(
        "".join(f"{word}\t{label}\n" for word, label in labelled_tokens(line))
        for email in emails
        for line in email
    )


def conll_with_documents(emails: Sequence[Sequence[Sequence[Piece]]]) -> str:
    """The same, each e-mail a document."""
    return "\n".join(f"-DOCSTART-\tO\n\n{conll([email])}" for email in emails)


def running_text(emails: Sequence[Sequence[Sequence[Piece]]]) -> str:
    """E-mails as they are sent, with a blank line between them."""
    return "\n".join("".join(plain_text(line) + "\n" for line in email) for email in emails)


def demo_files() -> dict[str, str]:
    """The files of the demo by their names."""
    seen: set[str] = set()
    train, test = compose(Draw(1, 0.0), 640, seen), compose(Draw(2, 0.4), 200, seen)
    raw, mails = compose(Draw(3, 0.4), 40, seen), compose(Draw(4, 0.4), 600, seen)
    return {
        "train.conll": conll(train),
        "few.conll": conll(train[::12]),
        "test.conll": conll(test),
        "unlabelled.txt": running_text(raw),
        "mails.txt": running_text(mails),
        "emails.conll": conll_with_documents(train + test),
    }


def main(folder: Path) -> None:
    for name, content in demo_files().items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
