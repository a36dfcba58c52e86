"""What the demo's news is made of: names, phrases, and frames with slots for them."""

from __future__ import annotations

from make_demo_corpus import FAMILY_NAMES, GIVEN_NAMES, TOWNS, items

GIVEN = [name for i, name in enumerate(GIVEN_NAMES) if i % 6 != 5] + items(
    """
Abena Adrian Agnes Alan Alice Andrea Andrew Ann Arjun Astrid Boris Brian Carlos Carol Charles Diane
Eduardo Elena Emma Erik Eva Frank George Georgia Grace Hassan Helen Henry Igor Ivan Jack James Jean
Jane John Jordan Jorge Julia Karen Keith Laura Lee Linda Luis Maria Mark Martin Mary Michael Milan
Monica Nick Noor Paul Pedro Peter Philip Rachel Robert Rosa Sarah Simon Stefan Susan Sydney Thomas
Victor Vera Walter Yuki
""",
    r"\s+",
)
FAMILY = FAMILY_NAMES[1::5] + items(
    """
Adams Andersen Baker Banerjee Becker Bell Bianchi Blake Brandt Burke Carter Chester Clarke Costa
Cruz Delgado Dietrich Dubois Duncan Edwards Faraday Fischer Forster Garcia Gomez Grant Green Hall
Hansen Harper Hayes Houston Ibrahim Jackson Jensen Johnson Jones Kapoor Keller Kent Khan Kovacs
Kumar Lambert Lancaster Larsen Lee Lincoln Lopez Marsh Mason Mbeki Meyer Mills Moore Morales Murray
Nowak Nguyen O'Brien Olsen Park Patel Pereira Perry Popescu Preston Price Reid Richter Romero Rossi
Sato Schmidt Shah Silva Singh Stone Suzuki Svensson Taylor Torres Turner Wagner Walker Walsh
Washington Weber Wells Wood Young
""",
    r"\s+",
)
PERSON_OR_PLACE = items(
    "Washington Lincoln Preston Chester Houston Jordan Georgia Lancaster Kent", " "
)
CITIES = TOWNS[1::3] + items(
    """
Abbotsea Belgravo Cordale Eastmere Fairhaven Grenholm Haverby Kingsport Lakefield Milbrook Newbridge
Oakhampton Port Alden Queensbury Redcliff San Aurelio Stonebridge Sundby Thornaby Westmarsh
""",
    r"\n|(?<!Port)(?<!San) ",
)
LANDS = items("""
Argentina;Austria;Brazil;Canada;Chile;Denmark;Egypt;France;Ghana;India;Italy;Japan;Kenya;Mexico
Morocco;New Zealand;Nigeria;Norway;Peru;Poland;Portugal;South Korea;Spain;Turkey;Vietnam
""")
PEOPLES = items("""
Argentine;Austrian;Brazilian;Canadian;Chilean;Danish;Egyptian;French;Ghanaian;Indian;Italian;Kenyan
Japanese;Mexican;Moroccan;Nigerian;Norwegian;Peruvian;Polish;Portuguese;Spanish;Turkish;Vietnamese
""")
SITES = items("""
{family} Hall;{family} House;{family} Bridge;{family} Square;{family} Library;{family} Museum
{family} Building;{family} Theatre;{city} Airport;{city} Harbour;{city} Cathedral;{city} Town Hall
{family} Street;{city} Road;{family} Stadium;{family} Park;{family} Centre;{thing} Hall;{thing} Room
{thing} House;{thing} Tower;{thing} Building;{thing} Court;{thing} Lounge;{thing} Suite;{thing} Wing
{thing} Gallery;{thing} Auditorium;{thing} Centre;{thing} Laboratory;{thing} Terrace;Lake Oren
Mount Halden;River Tern;Old Mill Lane;Grand Theatre;Opera House;Town Hall;Observatory;North Pier
""")
THINGS = items("""
Anchor;Birch;Bishop;Bridge;Chapel;Copper;Crown;Crystal;Eagle;Falcon;Fountain;Harbour;Ivory;Lion
Maple;Market;Mill;Monument;Oak;Pearl;Queen's;Railway;Rose;Silver;Station;Swan;Union;Victory;White
Willow
""")
FIRMS = items("""
{family} Motors;{family} Holdings;{family} & {family_2};{family} Foods;{family} Shipping;{family}
{family} Brothers;{city} Steel;{city} Water;Bank of {city};{city} Airlines;Northern Rail;Polar Gas
Delta Pharma;Unicom;Aerotek;Blue Anchor Insurance;Sunrise Energy;Vega Systems;Omnitel
""")
BODIES = items("""
Ministry of Health;Ministry of Transport;Central Bank;Supreme Court;Labour Party;Green Party;Senate
National Union of Teachers;Farmers' Association;Red Crescent;World Food Council;Coast Guard
{city} City Council;{city} Police;Football Federation;Department of Energy;Liberal Alliance
Committee for Press Freedom;Save the Rivers;Federation of Trade;Weather Service;{family} Foundation
""")
SCHOOLS = items("""
{city} University;University of {city};{city} Polytechnic;{city} Hospital;{city} Medical School
Institute of Marine Science;Centre for Policy Research;School of Law;Royal Academy of Music
Department of Physics;{family} College;{city} Institute of Technology;National Laboratory
""")
CLUBS = items(
    "{city};{city};{city};{city} United;{city} Rovers;{city} City;Dynamo {city};Real {city}"
)
EVENTS = items("""
World Cup;Olympic Games;{city} Marathon;{land} Open;Book Fair;Winter Games;{city} Film Festival
Champions Trophy;Climate Summit;Independence Day;Easter;Tour of {land};Grand Prix
""")
PRIZES = items("{family} Prize;{family} Medal;{city} Book Award;Golden Quill")
WORK_BEGINNINGS = items("""
Silent Rivers;Letters;A House;Songs;Two Brothers;Night Trains;The Last Gardener;Bread and Water
Children;Returning;Black Orchards;Strange Weather;The Art;A History;Growing Up;Love, Luck and Lies
Secrets;Good Neighbours;How to Live;Why We Dance;Bright Machines;Empty Chairs;Learning to Swim
Modern Manners;Simple Pleasures;Lost Voices;The Price of Bread;Great Inventions;Counting Stars
Dangerous Ideas;Five Journeys;Walking;Quiet Heroes;The Science of Sleep;Building Bridges;Thinking
""")
WORK_ENDINGS = items("""
from the North;of Salt;of Winter;in the Dark;and Other Stories;of the Storm;to the Island;at Sea
without Maps;for the Brave;of Small Things;beyond the Wall;in a Foreign City;after Midnight
on the Moon;with Strangers;under Glass;for Slow Readers;in Three Acts;of Paper and Stone
across the Desert;in Hard Times;for Beginners;between the Wars;from Space;in Old Age;of the Future
""")
# Headlines in capitals that name nobody.
HEADLINES = items("""
Farm Prices Rise Again;A Quiet Week for the Markets;New Rules on Smoking;Fewer Trains This Winter
What the Budget Means;Doctors Call Off Strike;More Money for Schools;Results at a Glance
Rain and Wind on the Coast;Bus Drivers Want Higher Pay;Three Hurt in Fire;No End to the Drought
Annual Report Shows Profit;Call for Calm after Riots;Places to Eat;Registration of Voters Begins
""")
SECTIONS = items(
    "Business;Sport;Health;Comment;In brief;Culture;Weather;Travel;News;Diary;Education"
)

FRAMES = items(
    """
{PER}, a spokesman for {ORG}, said on {day} that talks would resume in {LOC_CITY}.
{PER} of {ORG_SCHOOL} said the results were encouraging.
{ORG_FIRM} said on {day} it would cut {number} jobs in {LOC}.
{ORG_FIRM} named {PER} as chief executive, replacing {PER_2}, who leaves in {month}.
Shares in {ORG_FIRM} fell {small} percent after {PER_LAST} resigned.
{LOC_CITY}, {month} {small} - {ORG_BODY} warned of floods along the {LOC_SITE}.
{LOC_UPPER}, {month} {small} - Rescue workers searched for {number} people on {day}.
President {PER} arrived in {LOC_CITY} for talks with Prime Minister {PER_2}.
Prime Minister {PER_LAST} told parliament that {LOC_LAND} would not change course.
Foreign minister {PER} met {MISC_FOLK} officials at the {LOC_SITE} in {LOC_CITY}.
The minister, Dr. {PER_LAST}, declined to comment.
"We need more time," said {PER}, who chairs the committee.
"It was a hard race," {PER_LAST} told reporters in {LOC_CITY}.
"Nobody asked us," Mrs {PER_LAST} said.
Mr {PER_LAST} and Ms {PER_2} will appear before the {ORG_BODY} on {day}.
Professor {PER} of the {ORG_SCHOOL} led the study, which was published on {day}.
The study by Prof. {PER} and Dr. {PER_2} followed {number} patients in {LOC_LAND}.
According to Dr {PER_LAST}, the disease has spread to {LOC}.
{ORG_CLUB} beat {ORG_CLUB_2} {small} - {small_2} on {day}.
{ORG_CLUB} {small}, {ORG_CLUB_2} {small_2}
{PER} scored twice as {ORG_CLUB} won at {LOC_SITE}.
Goals: {PER} {small}, {PER_2} {number}
{small}. {PER} ({LOC_LAND}) {small_2}:{number}
{small}. {PER} ({ORG_CLUB}), {number} points
{PER} beat {MISC_FOLK} champion {PER_2} to reach the final of the {MISC_EVENT}.
{PER} ({LOC_LAND}) beat {PER_2} ({LOC_LAND_2}) 6-4 6-2
Defending champion {PER} pulled out of the {MISC_EVENT} with a knee injury.
Referee: {PER} ({LOC_LAND})
Coach {PER} will leave {ORG_CLUB} at the end of the season.
The {MISC_EVENT} opens on {day} at the {LOC_SITE}.
Tickets for the {MISC_EVENT} are sold at the {LOC_SITE} until {day}.
{PER}'s novel {quoted} won the {MISC_PRIZE}.
{quoted}, a film by {PER}, opens in {LOC_CITY} next week.
The {MISC_FOLK} director {PER} is working on {quoted} with actress {PER_2}.
{PER} will read from {quoted} at the {LOC_SITE} on {day} at {time}.
{PER} will speak at the {LOC_SITE} in {LOC_CITY} on {month} {small}.
The singer {PER} will give a concert in the {LOC_SITE} at {time}.
A lecture by {PER} at {ORG_SCHOOL} was called off after protests.
Guests included {PER}, {PER_2} and the {MISC_FOLK} ambassador, {PER_3}.
Police in {LOC_CITY} arrested {number} people near {LOC_SITE}.
Police said {PER}, {number}, was found dead in {LOC_SITE}.
{PER}, {number}, of {LOC_CITY}, pleaded not guilty.
Judge {PER} adjourned the case against {ORG_FIRM} until {month}.
Lawyers for {PER_LAST} said they would appeal to the {ORG_BODY}.
Born in {LOC_CITY}, {PER} studied in {LOC_CITY_2} under {PER_2}.
{PER_LAST} joined {ORG_SCHOOL} in {year} and became its head in {year_2}.
{PER}, who grew up in {LOC_LAND}, holds a doctorate from {ORG_SCHOOL}.
Obituary: {PER}, founder of {ORG_FIRM}
Interview: {PER} on life after politics
Photograph: {PER_INITIAL}
Report by {PER} in {LOC_CITY}; editing by {PER_2}
Correction: {PER_LAST} is the author of {quoted}, not {PER_2}.
Weather: rain in {LOC_CITY}, sun in {LOC_CITY_2}
Cycling: {PER_LAST} wins stage in {LOC_LAND}
Profile: {ORG_FIRM} turns to {PER}
Letters: {PER}, {LOC_CITY}
Letters: {PER}, {ORG_SCHOOL}
{PER}, {ORG_SCHOOL}, and {PER_2}, {ORG_FIRM}, shared the {MISC_PRIZE}.
Analysis: Why {LOC_LAND} needs a new bridge
Markets: Shares rise on hopes for {LOC_LAND}
{PER_LAST} wins vote in {LOC}
{LOC_LAND} and {LOC_LAND_2} sign fishing deal
{MISC_FOLK} farmers block roads in protest at {ORG_BODY}
Strike closes {LOC_SITE}
New chief for {ORG_BODY}
Thousands marched through {LOC_CITY} on {day}, organisers said.
The {ORG_BODY} has opened an inquiry into {ORG_FIRM}.
The {ORG_BODY} and the {ORG_SCHOOL} will share the costs.
The {ORG_BODY} elected {PER} as its president on {day}.
{ORG_FIRM} and {ORG_FIRM_2} agreed to merge, {PER_LAST} said.
{ORG_FIRM} has moved its head office from {LOC_CITY} to {LOC_CITY_2}.
Analysts at {ORG_FIRM} expect profits of {number} million.
{MISC_FOLK} carmaker {ORG_FIRM} will build a plant in {LOC_CITY}.
A train from {LOC_CITY} to {LOC_CITY_2} was delayed by {number} minutes.
The road between {LOC_SITE} and {LOC_CITY} will stay closed until {time} on {day}.
The fire began at about {time} in a kitchen behind {LOC_SITE}.
Ferries leave {LOC_CITY} at {time} and return at {time_2}.
Heavy snow is expected in {LOC_LAND} from {day}.
{LOC} has {number} schools, but only {small} doctors.
Most visitors come from {LOC_LAND}, {LOC_LAND_2} and {LOC}.
Prices rose by {small}.{small_2} percent in {month}, the {ORG_BODY} said.
Exports to {LOC_LAND} fell for the {MISC_FOLK} fishing industry.
The {MISC_FOLK} government has promised help, but none has come.
No one was hurt, and the cause is not yet known.
All flights were full, and hotels had no rooms left.
Last week's vote had been expected for {month}.
Please note that prices do not include tax.
Many of the houses were built before {year} and have no heating.
Experts doubt that the plan will work.
Rain stopped play at {time} with {small} matches still to come.
Results of the second round will be known on {day}.
Doctors and nurses will return to work on {day} after a strike of {small} weeks.
For {PER_LAST}, it was the third win in {LOC_CITY}.
Asked about {ORG_FIRM}, {PER} smiled and said nothing.
With {PER_LAST} injured, {PER_2} takes over as captain.
Her husband, {PER}, works for {ORG_FIRM} in {LOC_CITY}.
His teacher, {PER}, died in {year}.
Together with {PER}, {PER_LAST_2} runs a bakery in {LOC_CITY}.
{PER} and {PER_2} were married at {LOC_SITE} on {day}.
{PER}, {PER_2} and {PER_3} have been chosen for the team.
Teams: {PER_INITIAL}, {PER_INITIAL_2}, {PER_3}
{PER} (captain), {PER_2}, {PER_INITIAL}
Thanks to {PER}, the {LOC_SITE} has a new roof.
A statue of {PER} stands in {LOC_SITE}.
Write to {PER} at {ORG_FIRM} by {day}.
Senator {PER_LAST} thanked {PER_2} of the {ORG_BODY} for her help.
Neither {PER_LAST} nor {PER_LAST_2} could be reached.
{LOC_DOUBTFUL} woke up to snow on {day}.
The mayor of {LOC_DOUBTFUL}, {PER}, opened the {LOC_SITE}.
{PER_DOUBTFUL} said the trip to {LOC_DOUBTFUL} had been a mistake.
Ms {PER_DOUBTFUL} flew back from {LOC_DOUBTFUL} on {day}.
{ORG_FIRM} sued {PER_LAST} over the sale of {LOC_SITE}.
After {number} years in {LOC}, {PER_LAST} came home to {LOC_CITY}.
Review: {MISC_WORK} by {PER}
New on film: {MISC_WORK}
Tonight: {MISC_WORK}
Theatre: {MISC_WORK}
{MISC_WORK}, {PER}'s new play, is about {LOC_LAND} in the war.
He played the doctor in {quoted} and the king in {MISC_WORK_2}.
Books: {quoted}, by {PER}
On stage: {MISC_WORK}, {LOC_SITE}, {LOC_CITY}, {date} at {time}
Radio tonight: {PER} talks about {MISC_WORK} at {time}.
The exhibition {quoted} at the {LOC_SITE} is open from {time} to {time_2}.
{headline}
{headline}
{section}: {headline}
{section}, {date}
Fixtures, {date}: {ORG_CLUB} v {ORG_CLUB_2}, {time}
The inquest will resume on {date} in Room {number} of the {LOC_SITE}.
The hearing, in Room {small} at {LOC_SITE}, {LOC_CITY}, ends on {date}.
Votes are counted in the {LOC_SITE}, {LOC_SITE_2}, from {time}.
{date}: the {LOC_SITE} opens to the public.
Next to the {LOC_SITE}, in {LOC_SITE_2}, work began in {month}.
Open day: {LOC_SITE}, {date}, {time}
""",
    "\n",
)
