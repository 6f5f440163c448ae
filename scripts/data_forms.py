"""From a publisher's file to the form that the tests read: one function a form, bytes in and bytes out."""
import csv
import gzip
import io
import lzma
import struct
import zipfile
from collections import defaultdict


def same(data):
    return data


def packed(data):
    return gzip.decompress(data)


def member(name):
    """The file of this name, in any folder of a zip archive."""
    def form(data):
        archive = zipfile.ZipFile(io.BytesIO(data))
        return archive.read(next(path for path in archive.namelist() if path.rsplit("/", 1)[-1] == name))
    return form


def blank_separated(data):
    return data.replace(b",", b" ")


def unix_lines(data):
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")


def trimmed_lines(data):
    return b"".join(line.rstrip() + b"\n" for line in data.splitlines())


def numbered_from_one(data):
    """Items that are numbered from zero, in a packed file."""
    lines = gzip.decompress(data).split(b"\n")
    return b"".join(b" ".join(b"%d" % (int(item) + 1) for item in line.split()) + b"\n" for line in lines if line.strip())


def with_header(names):
    return lambda data: names.encode() + b"\n" + data


def synthea_visits(patients, encounters, conditions):
    """Encounters with what is known about their patients, without names, numbers and streets."""
    people = {row[0]: row for row in rows(patients)}
    codes = defaultdict(list)
    for row in rows(conditions):
        codes[row[3]].append(row[4])
    visits = []
    for _, encounter, start, stop, patient, _, kind, code, description, cost, reason, reason_text in rows(encounters):
        person = people[patient]
        birth, sex, race, ethnicity, city, zip_code = person[1], person[14], person[12], person[13], person[17], person[19]
        reason = reason.removesuffix(".0")
        visits.append([patient, birth, sex, race, ethnicity, city, zip_code, start[:4], start, stop, kind, code, description, cost, reason, reason_text, ";".join(codes[encounter])])
    visits.sort(key=lambda visit: (visit[0], visit[8]))
    header = "patient_id birth_date sex race ethnicity city zip year start stop class encounter_code encounter_description cost reason_code reason_description condition_codes"
    return as_csv([header.split(), *visits])


def synpuf_visits(*files):
    """Admissions with the year's summary of the patient; of each sample the summaries of 2008 to 2010, then its claims."""
    visits = []
    for sample, at in enumerate(range(0, len(files), 4), start=1):
        summaries = {2008 + after: {row["DESYNPUF_ID"]: row for row in records(files[at + after])} for after in range(3)}
        visits += [synpuf_visit(claim, summaries, sample) for claim in records(files[at + 3])]
    visits.sort(key=lambda visit: (visit[0], visit[7]))
    header = "patient_id birth_year sex race state county year admission_date discharge_date length_of_stay drg admitting_icd9 primary_icd9 icd9_all provider payment sample"
    return as_csv([header.split(), *visits])


def synpuf_visit(claim, summaries, sample):
    patient, admitted = claim["DESYNPUF_ID"], claim["CLM_ADMSN_DT"]
    person = summaries[max(2008, int(admitted[:4]))][patient]
    diagnoses = [claim[f"ICD9_DGNS_CD_{at}"] for at in range(1, 11) if claim[f"ICD9_DGNS_CD_{at}"]]
    about = [patient, person["BENE_BIRTH_DT"][:4], person["BENE_SEX_IDENT_CD"], person["BENE_RACE_CD"], person["SP_STATE_CODE"], person["BENE_COUNTY_CD"]]
    stay = [admitted[:4], admitted, claim["NCH_BENE_DSCHRG_DT"], claim["CLM_UTLZTN_DAY_CNT"], claim["CLM_DRG_CD"], claim["ADMTNG_ICD9_DGNS_CD"]]
    return [*about, *stay, diagnoses[0] if diagnoses else "", ";".join(diagnoses), claim["PRVDR_NUM"], claim["CLM_PMT_AMT"], str(sample)]


def synpuf_diagnoses(*files):
    """The distinct diagnoses of a patient a line."""
    codes = defaultdict(set)
    for visit in records(synpuf_visits(*files)):
        codes[visit["patient_id"]].update(filter(None, visit["icd9_all"].split(";")))
    return "".join(" ".join(sorted(codes[patient])) + "\n" for patient in sorted(codes) if codes[patient]).encode()


def rows(data):
    return csv.reader(io.StringIO(data.decode()))


def records(data):
    return csv.DictReader(io.StringIO(data.decode()))


def as_csv(lines):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def r_table(data):
    """The one data frame of an R workspace, as R's write.csv writes it."""
    reader = RData(lzma.decompress(data))
    names, columns = reader.frame()
    cells = [[quoted(cell) if isinstance(cell, str) else number(cell) for cell in column] for column in columns]
    lines = [",".join(map(quoted, names)), *map(",".join, zip(*cells))]
    return "".join(line + "\n" for line in lines).encode()


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def number(value):
    return "%.15g" % value


class RData:
    """As much of R's serialization (XDR) as a data frame of numbers, texts and factors needs."""

    def __init__(self, data):
        if data[:7] not in (b"RDX2\nX\n", b"RDX3\nX\n"):
            raise ValueError("not an R workspace")
        self.data, self.at, self.symbols = data, 7, []
        version = self.ints(3)[0]
        if version == 3:
            self.take(self.ints(1)[0])

    def frame(self):
        variables = self.value()
        _, (columns, attributes) = next(iter(variables.items()))
        return attributes["names"], [factor(*column) if isinstance(column, tuple) else column for column in columns]

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def ints(self, count):
        return struct.unpack(f">{count}i", self.take(4 * count))

    def value(self):
        flags = self.ints(1)[0]
        kind, attributed, tagged = flags & 255, flags & 512, flags & 1024
        if kind == 254:  # nothing
            return None
        if kind == 255:  # a symbol that was there before
            return self.symbols[(flags >> 8) - 1]
        if kind == 1:
            self.symbols.append(self.value())
            return self.symbols[-1]
        if kind == 2:
            return self.pairs(attributed, tagged)
        if kind == 9:
            length = self.ints(1)[0]
            return None if length < 0 else self.take(length).decode()
        length = self.ints(1)[0]
        if kind in (10, 13):
            found = list(self.ints(length))
        elif kind == 14:
            found = list(struct.unpack(f">{length}d", self.take(8 * length)))
        elif kind in (16, 19):
            found = [self.value() for _ in range(length)]
        else:
            raise ValueError(f"R's type {kind} is not read here")
        return (found, self.value()) if attributed else found

    def pairs(self, attributed, tagged):
        if attributed:
            self.value()
        name = self.value() if tagged else None
        return {name: self.value()} | (self.value() or {})


def factor(codes, attributes):
    """A factor's labels, or the plain values of what only has a class."""
    levels = attributes.get("levels")
    return codes if levels is None else [levels[code - 1] for code in codes]
