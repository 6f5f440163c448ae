"""The public data sets: whose they are, under which licence, and from where. data.sha256 has the SHA-256 of their contents."""
from pathlib import Path
from typing import NamedTuple

import data_forms as form

ROOT = Path(__file__).resolve().parent.parent


class File(NamedTuple):
    name: str
    sources: list  # what makes the content of which addresses, tried in this order


class DataSet(NamedTuple):
    name: str
    owner: str
    licence: str
    files: list


def copy(repository, commit, path):
    """A file of a public repository at a fixed commit."""
    return f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"


UCI = "https://archive.ics.uci.edu"
MONDRIAN = ("qiyuangong/SemiPartition_for_Incomplete_Microdata", "46d5af467ab7d04f6037984bef2d43200193ab45")
CONDITIONS = ("qiyuangong/Partition_for_Transaction", "f05c8d8bba75ae01d3a43769256927c4cfacce9e")
ARX = ("arx-deidentifier/arx", "aacd487fb77b3af7970d5d6fa1b2f6cca1182b64")
PREDICTION = ("rafkt/C.CPT", "f46ae2263563ca9e5942bba9715185b3b1044d82")
SDC_MICRO = ("sdcTools/sdcMicro", "cf3251017482bb215f0a9abf4a930f502399fb72")
SYNTHEA = [
    copy("parkererickson/pyTigerGraphSynthea", "fa5a4712126baae35bd4d1ab6dd166c5a7f8639e", f"data/{name}.csv")
    for name in ("patients", "encounters", "conditions")
]


def synpuf(sample):
    """Summaries of three years and the inpatient claims of a sample."""
    files = [f"DE1_0_{year}_Beneficiary_Summary_File" for year in (2008, 2009, 2010)] + ["DE1_0_2008_to_2010_Inpatient_Claims"]
    commit = "4a889b0649d482d23f3ddd9133e9905c4eb31383"
    return [copy("milwaukeedata/desynpuf", commit, f"{sample}-sample-10000/{file}_Sample_{sample}.csv") for file in files]


SYNPUF = [address for sample in range(1, 11) for address in synpuf(sample)]
SHIPPED_HIERARCHIES = ["age", "education", "marital-status", "native-country", "occupation", "race", "sex", "workclass"]

SETS = [
    DataSet(
        "adult",
        "UCI Machine Learning Repository (B. Becker, R. Kohavi); cleaned form and hierarchies: the ARX project",
        "CC BY 4.0; ARX: Apache License 2.0",
        [
            File("adult/adult.data.gz", [
                (form.same, [f"{UCI}/ml/machine-learning-databases/adult/adult.data"]),
                (form.member("adult.data"), [f"{UCI}/static/public/2/adult.zip"]),
                (form.same, [copy(*MONDRIAN, "data/adult.data")]),
            ]),
            File("adult/adult_arx_30162.csv.gz", [(form.packed, ["examples/adult/adult.csv.gz"])]),
            *[
                File(f"adult/adult_hierarchy_{name}.csv", [(form.same, [f"examples/adult/hierarchies/{name}.csv"])])
                for name in SHIPPED_HIERARCHIES
            ],
            File("adult/adult_hierarchy_salary-class.csv", [
                (form.same, [copy(*ARX, "data/adult_hierarchy_salary-class.csv")]),
            ]),
        ],
    ),
    DataSet(
        "bms_webview",
        "Blue Martini Software, KDD Cup 2000 (Z. Zheng, R. Kohavi, L. Mason)",
        "for research, with acknowledgement",
        [
            File("bms_webview/BMS-WebView-1.dat", [
                (form.blank_separated, [copy("dangcam/DataManing", "516944ec2f8e53a5bca53c8ca0d86e198a9a2864", "BMS1_itemset_mining.txt")]),
            ]),
            File("bms_webview/BMS-WebView-2.dat.gz", [(form.unix_lines, [copy(*PREDICTION, "datasets/BMS2.txt")])]),
        ],
    ),
    # CMS publishes samples of 116,000 people; these are 10,000 of each, and only the copy says which.
    DataSet(
        "synpuf",
        "Centers for Medicare & Medicaid Services, DE-SynPUF 2008-2010 (synthetic)",
        "free public use under the disclaimer of the CMS",
        [
            File("synpuf/synpuf_inpatient_visits_s01-10.csv.gz", [(form.synpuf_visits, SYNPUF)]),
            File("synpuf/synpuf_icd9_per_patient_s01-10.txt.gz", [(form.synpuf_diagnoses, SYNPUF)]),
            File("synpuf/DE1_0_2008_to_2010_Inpatient_Claims_Sample_1_10000.csv.gz", [(form.same, [SYNPUF[3]])]),
        ],
    ),
    DataSet(
        "diabetes130",
        "UCI Machine Learning Repository (B. Strack and others, 2014)",
        "CC BY 4.0",
        [
            File("diabetes130/diabetic_data.csv.gz", [
                (form.member("diabetic_data.csv"), [address])
                for address in (
                    f"{UCI}/static/public/296/diabetes+130-us+hospitals+for+years+1999-2008.zip",
                    f"{UCI}/ml/machine-learning-databases/00296/dataset_diabetes.zip",
                    copy("PranavSharma008/Re-Admission-of-Diabetic-Patients-after-Discharge", "e04649c4fc3d9164abcf87c915811cca340a09b4", "dataset_diabetes.zip"),
                )
            ]),
        ],
    ),
    # Every run of Synthea makes other patients.
    DataSet(
        "synthea",
        "The MITRE Corporation, Synthea (synthetic)",
        "generated data are free of restriction; Synthea: Apache License 2.0",
        [
            File("synthea/synthea_visits.csv.gz", [(form.synthea_visits, SYNTHEA)]),
            File("synthea/synthea_conditions.csv.gz", [
                (form.with_header("start,stop,patient_id,encounter_id,snomed_code,description"), [SYNTHEA[2]]),
            ]),
        ],
    ),
    DataSet(
        "informs",
        "Agency for Healthcare Research and Quality, Medical Expenditure Panel Survey, as in the INFORMS contest of 2008",
        "public use",
        [
            File("informs/conditions05.csv.gz", [(form.unix_lines, [copy(*CONDITIONS, "data/conditions05.csv")])]),
            File("informs/demographics.csv.gz", [(form.same, [copy(*MONDRIAN, "data/demographics.csv")])]),
        ],
    ),
    DataSet(
        "casc",
        "EU project CASC (R. Brand, J. Domingo-Ferrer, J. M. Mateo-Sanz), copied from sdcMicro",
        "reference data for research; sdcMicro: GPL-2",
        [
            File(f"casc/casc_{name}.csv", [(form.r_table, [copy(*SDC_MICRO, f"data/{workspace}.rda")])])
            for name, workspace in [("census_1080", "CASCrefmicrodata"), ("eia_4092", "EIA"), ("tarragona_834", "Tarragona")]
        ],
    ),
    DataSet(
        "retail",
        "T. Brijs and others, FIMI repository",
        "any use with acknowledgement",
        [
            File("retail/retail.dat.gz", [
                (form.numbered_from_one, ["http://fimi.uantwerpen.be/data/retail.dat.gz"]),
                (form.trimmed_lines, [copy("mohameddouad/ClosedOverlap", "0429f4326a7f2d5456c24fa2c193e2641e2b9d8b", "data/retail.dat")]),
            ]),
        ],
    ),
    # A selection of the longer sessions, made by the SPMF project.
    DataSet(
        "msnbc",
        "UCI Machine Learning Repository (D. Heckerman, Microsoft)",
        "CC BY 4.0",
        [File("msnbc/msnbc_31790.txt", [(form.same, [copy(*PREDICTION, "datasets/MSNBC.txt")])])],
    ),
    # The city's own file grows.
    DataSet(
        "ev_charging",
        "City of Boulder, Colorado, open data",
        "believed to be CC0",
        [
            File("ev_charging/boulder_ev_charging.csv.gz", [
                (form.unix_lines, [copy("niklasamslgruber/RedCASTLE", "15450e35a2bb5541ccdc0b3b55fe51fdffa7c348", "Electric_Vehicle_Charging_Station_Energy_Consumption (1).csv")]),
            ]),
        ],
    ),
]
