"""What structured words of a failure mean: the codes that providers and gateways share, and HTTP statuses.

A code that only repeats its status, or that stands for several things, is *vague*: it speaks after the text. What one
backend alone says is its reader's.
"""

from __future__ import annotations

from collections.abc import Mapping

from capacity.values.failures import FailureKind

EXACT: Mapping[str, FailureKind] = {
    **dict.fromkeys(
        ("aborterror", "messageabortederror", "requestaborted", "clientclosedrequest", "cancelled"), "noop"
    ),
    **dict.fromkeys(("sqlitebusy", "sqlitelocked", "sqliteerror"), "noop"),
    **dict.fromkeys(
        ("usagelimitreached", "quotaexhausted", "quotaexceeded", "usagelimitexceeded", "weeklylimitreached"), "quota"
    ),
    **dict.fromkeys(
        ("throttlingallocationquota", "dailyquotaexceeded", "dailylimitexceeded", "monthlyquotaexceeded"), "quota"
    ),
    **dict.fromkeys(("unpurchased", "subscriptionexpired", "planexpired", "billingnotactive"), "lapsed"),
    **dict.fromkeys(
        ("insufficientbalance", "insufficientcredits", "insufficientfunds", "insufficientquota"), "balance"
    ),
    **dict.fromkeys(("billinghardlimitreached", "exceededcurrentquotaerror", "creditbalancetoolow"), "balance"),
    **dict.fromkeys(("billingerror", "outofcredits"), "balance"),
    **dict.fromkeys(("throttlingratequota", "throttlingburstrate", "limitburstrate", "limitrequests"), "rate"),
    **dict.fromkeys(("throttlingexception", "toomanyrequests", "toomanyrequestsexception"), "rate"),
    **dict.fromkeys(("ratelimitreachederror", "concurrencylimitexceeded", "throttling"), "rate"),
    **dict.fromkeys(("overloadederror", "overloaded", "serverisoverloaded", "serviceunavailableerror"), "overload"),
    **dict.fromkeys(("engineoverloadederror", "modelcapacityexhausted", "slowdown", "serveroverloaded"), "overload"),
    **dict.fromkeys(("localinactivitytimeout", "serviceunavailable"), "overload"),
    **dict.fromkeys(("authenticationerror", "invalidapikey", "tokenexpired", "expiredtoken", "tokenrevoked"), "auth"),
    **dict.fromkeys(("unauthenticated", "unauthorized", "invalidtoken", "invalidauthentication"), "auth"),
    **dict.fromkeys(("authenticationfailed", "invalidaccesstoken", "sessionexpired", "invalidgrant"), "auth"),
    **dict.fromkeys(("refreshtokenreused", "refreshtokenexpired", "refreshtokeninvalidated"), "auth"),
    **dict.fromkeys(
        ("usagenotincluded", "subscriptionrequired", "notentitled", "unsupportedcountryregion"), "entitlement"
    ),
    **dict.fromkeys(("modelnotfound", "modelnotfounderror", "providermodelnotfounderror", "unknownmodel"), "model"),
    **dict.fromkeys(("modelunavailable", "modelnotavailable", "modelnotsupported", "modelunsupported"), "model"),
    **dict.fromkeys(("unsupportedmodel", "modelunknown", "modeldenied", "accessdeniedmodel", "modelnotexist"), "model"),
    **dict.fromkeys(("modeldeprecated", "deploymentnotfound", "invalidmodel", "clienttooold"), "model"),
    **dict.fromkeys(("contextlengthexceeded", "exceedcontextsizeerror", "contextwindowexceeded"), "context"),
    **dict.fromkeys(("contextwindowexceedederror", "contextlimitexceeded", "inputtoolong", "prompttoolong"), "context"),
    **dict.fromkeys(("requesttoolarge", "contentfilter", "contentpolicyviolation", "invalidprompt"), "payload"),
    **dict.fromkeys(("invalidparameter", "unsupportedparameter", "missingrequiredparameter"), "payload"),
    **dict.fromkeys(("unsupportedvalue", "notsupportederror", "datainspectionfailed"), "payload"),
    **dict.fromkeys(("econnrefused", "enotfound", "ehostunreach", "enetunreach", "eaiagain"), "connect"),
}
"""Code, casefolded and without `_`, `-` and `.` → its kind."""

VAGUE: Mapping[str, FailureKind] = {
    **dict.fromkeys(
        ("ratelimiterror", "ratelimitexceeded", "userratelimitexceeded", "ratelimit", "resourceexhausted"), "rate"
    ),
    **dict.fromkeys(("invalidrequesterror", "invalidargument", "badrequest", "badrequesterror"), "payload"),
    **dict.fromkeys(("failedprecondition", "unprocessableentity", "validationerror"), "payload"),
    **dict.fromkeys(("permissionerror", "permissiondenied", "forbidden", "accessdenied"), "auth"),
    **dict.fromkeys(("apierror", "servererror", "internalservererror", "internal", "internalerror"), "overload"),
    **dict.fromkeys(
        ("unavailable", "unavailableerror", "badgateway", "gatewaytimeout", "deadlineexceeded"), "overload"
    ),
    **dict.fromkeys(("paymentrequired",), "balance"),
}
"""Code → its kind, where neither the text nor the status says more."""

REPAIRED = frozenset(
    {"invalidapikey", "refreshtokenreused", "refreshtokenexpired", "refreshtokeninvalidated", "invalidgrant"}
)
"""Codes of a login that nobody but a person mends."""

STATUSES: Mapping[int, FailureKind] = {
    400: "payload",
    401: "auth",
    402: "balance",
    403: "auth",
    405: "payload",
    406: "payload",
    408: "overload",
    411: "payload",
    413: "payload",
    414: "payload",
    415: "payload",
    422: "payload",
    425: "overload",
    429: "rate",
    431: "payload",
    498: "auth",
    499: "noop",
    501: "payload",
    505: "payload",
}
"""Status → its kind by itself; any other of `BROKEN` is `overload`, and the rest says nothing. 403 is `auth` and not
`entitlement`: a key that lacks a permission is seen by the check of the login, and a minute does less harm than a day."""

BROKEN = range(500, 600)
"""Statuses that say that something is wrong at the provider (RFC 9110 §15.6); beyond them there is no status."""

OVERLOADS = frozenset({503, 529})
"""Statuses with which a provider says that it has too much to do: no evidence that anything is broken."""


def of_status(status: int) -> FailureKind | None:
    """The kind of a status by itself; None where it says none."""
    return STATUSES.get(status, "overload" if status in BROKEN else None)


def indicting(status: int | None) -> bool:
    """Whether a status says that something is broken at the provider."""
    return status in BROKEN and status not in OVERLOADS and status not in STATUSES
