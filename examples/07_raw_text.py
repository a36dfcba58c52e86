"""From raw text to fields with their places in the text.

`Corpus.from_texts` cuts text into tokens and remembers where each stands, so that spans of tokens
become stretches of characters again.
"""

import dovetail
from dovetail.corpus import read_text
from dovetail.demo import path

tagger = dovetail.Tagger(constraints="auto").fit(dovetail.read(path("train.conll")))

mail = """\
Speaker: Dr. Renata Tanaka
When: Tuesday, 6 August at 4:30pm
Where: Room 214, Weaver Hall
"""
corpus = dovetail.Corpus.from_texts([mail], unit="line")
for sequence, tagging in zip(corpus, tagger.tag(corpus), strict=True):
    print(sequence.text)
    for span in tagging.spans:
        start, end = sequence.offsets[span.start][0], sequence.offsets[span.end - 1][1]
        found = sequence.text[start:end]
        print(f"  {start:2}-{end:2}  {span.label:8} {span.probability:.2f}  {found}")

# A whole file, and the lines that a person should look at: those the tagger is least sure of.
lines = read_text(path("unlabelled.txt"))
taggings = tagger.tag(lines)
doubtful = sorted(range(len(lines)), key=lambda number: taggings[number].probability)
print(f"the least sure of {len(lines)} lines:")
for number in doubtful[:3]:
    print(f"  {taggings[number].probability:.2f}  {lines[number].text}")
