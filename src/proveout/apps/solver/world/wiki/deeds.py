"""What a right is a right to, in several wordings each.

A deed has things ("somebody else's salary"), verbs that follow "may" ("see what a colleague
earns") and actions as nouns ("access to other people's salaries").
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Deed:
    verbs: tuple[str, ...]
    things: tuple[str, ...]
    """For reads: what is seen. For writes: the act itself."""
    barred: tuple[str, ...] = ()
    """Verbs for a prohibition, where that spares one's own records; else `verbs`."""


DEEDS: dict[str, Deed] = {
    "employee.salary": Deed(
        (
            "see other people's salaries",
            "look up the salary of a colleague",
            "be told what somebody else earns",
        ),
        ("the salary of another employee", "other people's pay", "a colleague's salary"),
    ),
    "employee.notes": Deed(
        (
            "read the notes in a personnel record",
            "see the notes that are kept on employees",
            "look at the notes field of other people",
        ),
        ("the notes on an employee", "the notes field of a profile", "notes kept on people"),
    ),
    "employee.workload": Deed(
        (
            "see the workload of an employee",
            "be told how busy somebody is",
            "look up workload figures",
        ),
        ("the workload of a person", "workload figures", "information on how busy people are"),
        (
            "see the workload of other people",
            "be told how busy somebody else is",
            "look up workload figures of other employees",
        ),
    ),
    "customer.contact": Deed(
        (
            "see the contact person of a customer",
            "look up customer contact details",
            "be given the contact data of a client",
        ),
        (
            "contact details of customers",
            "the contact person at a customer",
            "customer contact data",
        ),
    ),
    "time.entries": Deed(
        (
            "see the time entries of an employee or project",
            "look up logged hours",
            "view time records and their totals",
        ),
        ("time entries", "logged hours and their totals", "time records"),
        (
            "see the time entries of other people",
            "look up hours that others have logged",
            "view other people's time records and totals",
        ),
    ),
    "employee.skills.write": Deed(
        (
            "change the skills and wills of somebody else",
            "update another person's skill ratings",
            "edit the skill profile of a colleague",
        ),
        ("changing other people's skill ratings", "an update of somebody else's skills and wills"),
    ),
    "employee.note.write": Deed(
        (
            "write notes into a personnel record",
            "change the notes on an employee",
            "edit the notes field of a profile",
        ),
        ("changing the notes on an employee", "editing the notes of a personnel record"),
    ),
    "employee.profile.write": Deed(
        (
            "change the location or department of an employee",
            "edit the department or location in a profile",
            "update where somebody works and for which department",
        ),
        ("changing an employee's location or department", "moving people in the registry"),
    ),
    "employee.salary.write": Deed(
        ("change a salary", "change what somebody earns", "update salaries"),
        ("changing a salary", "any salary change"),
    ),
    "project.status.write": Deed(
        (
            "change the status of a project",
            "update a project's status",
            "set a project to another status",
        ),
        ("changing the status of a project", "a change of project status"),
    ),
    "project.team.write": Deed(
        (
            "change the team of a project",
            "edit a project team, its roles and time slices",
            "update who works on a project and with which time slice",
        ),
        ("changing a project team", "a change to roles or time slices in a project team"),
    ),
    "time.log": Deed(
        (
            "log time for somebody else",
            "log hours on behalf of other people",
            "enter time for another employee",
        ),
        ("logging time for other people", "entering hours on behalf of somebody else"),
    ),
    "time.update": Deed(
        (
            "change a time entry or void it",
            "edit or void an existing time entry",
            "correct a time entry, voiding included",
        ),
        ("changing or voiding a time entry", "correcting time entries"),
    ),
    "customer.directory": Deed(
        ("see customer records", "look up customers", "search the customer list"),
        ("the customer list", "customer records"),
    ),
    "wiki.write": Deed(
        ("write wiki pages", "change pages of the wiki", "create, edit or remove wiki pages"),
        ("editing the wiki", "changing wiki pages"),
    ),
}
