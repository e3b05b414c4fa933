"""What schemathesis cannot know of our answers."""

import schemathesis


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """A request that was taken, and whose job failed while the caller waited, is answered 400 or 500 with the failed job.

    What the two checks are for is still found: a valid request that is refused, and an error of ours, are told by `error`.
    """
    if not {"positive_data_acceptance", "not_a_server_error"}.intersection(failure.checks):
        return True
    return not (case.method.upper() == "POST" and tells_failed_job(response))


def tells_failed_job(response):
    if response.status_code not in (400, 500):
        return False
    body = response.json()
    return "error" not in body and body.get("data", body).get("status") == "failed"
