"""What is said where no template may speak: refusals, questions, failures, empty results.

Nothing here names anybody or anything, so nothing can leak through it.
"""

from proveout.apps.solver.words import OutcomeCode

PHRASES: dict[str, dict[OutcomeCode, str]] = {
    "en": {
        "ok_answer": "Done.",
        "ok_not_found": "Nothing was found that matches the request.",
        "denied_security": "You do not have permission for this request.",
        "none_clarification_needed": "Please give more details: what is meant is not clear.",
        "none_unsupported": "This cannot be done here: the system does not offer it.",
        "error_internal": "The request could not be completed because of an internal error.",
    },
    "de": {
        "ok_answer": "Erledigt.",
        "ok_not_found": "Zu dieser Anfrage wurde nichts gefunden.",
        "denied_security": "Für diese Anfrage fehlt Ihnen die Berechtigung.",
        "none_clarification_needed": "Bitte genauer angeben, was gemeint ist.",
        "none_unsupported": "Das wird hier nicht angeboten.",
        "error_internal": "Die Anfrage konnte wegen eines internen Fehlers nicht erledigt werden.",
    },
    "it": {
        "ok_answer": "Fatto.",
        "ok_not_found": "Per questa richiesta non risulta nulla.",
        "denied_security": "Non ha l'autorizzazione per questa richiesta.",
        "none_clarification_needed": "Serve qualche dettaglio in più: la richiesta non è chiara.",
        "none_unsupported": "Questa operazione qui non è disponibile.",
        "error_internal": "La richiesta non è stata completata per un errore interno.",
    },
    "fr": {
        "ok_answer": "C'est fait.",
        "ok_not_found": "Rien ne correspond à cette demande.",
        "denied_security": "Vous n'êtes pas autorisé à faire cette demande.",
        "none_clarification_needed": "Merci de préciser votre demande.",
        "none_unsupported": "Cette opération n'est pas disponible ici.",
        "error_internal": "La demande n'a pas abouti à cause d'une erreur interne.",
    },
    "es": {
        "ok_answer": "Hecho.",
        "ok_not_found": "No hay nada que corresponda a la petición.",
        "denied_security": "No tiene permiso para esta petición.",
        "none_clarification_needed": "Por favor, concrete a qué se refiere.",
        "none_unsupported": "Esta operación no se ofrece aquí.",
        "error_internal": "La petición no se completó por un error interno.",
    },
    "sr": {
        "ok_answer": "Urađeno.",
        "ok_not_found": "Ništa ne odgovara ovom zahtevu.",
        "denied_security": "Nemate dozvolu za ovaj zahtev.",
        "none_clarification_needed": "Molimo navedite više detalja.",
        "none_unsupported": "Ova radnja ovde nije podržana.",
        "error_internal": "Zahtev nije završen zbog interne greške.",
    },
    "ru": {
        "ok_answer": "Готово.",
        "ok_not_found": "По этому запросу ничего не найдено.",
        "denied_security": "У вас нет прав на этот запрос.",
        "none_clarification_needed": "Пожалуйста, уточните запрос.",
        "none_unsupported": "Такая операция здесь не поддерживается.",
        "error_internal": "Запрос не выполнен из-за внутренней ошибки.",
    },
    "zh": {
        "ok_answer": "已完成。",
        "ok_not_found": "没有找到符合要求的内容。",
        "denied_security": "您没有权限提出此请求。",
        "none_clarification_needed": "请提供更多细节。",
        "none_unsupported": "系统不提供此操作。",
        "error_internal": "由于内部错误,请求未能完成。",
    },
}


def phrase(outcome: OutcomeCode, language: str) -> str:
    """In the language asked for, or in English."""
    return PHRASES.get(language[:2].casefold(), PHRASES["en"])[outcome]
