import socket
from pathlib import Path

import pytest

from agent.console.server import serve
from agent.failure import Failure
from agent.settings import Settings, SettingsError


def refusal(host: str = "127.0.0.1", port: int = 0) -> Failure:
    """Why the console does not start."""
    with pytest.raises(Failure) as failure:
        serve(host, port, password=None, open_browser=False, tell=print)
    return failure.value


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_an_address_that_others_reach_needs_a_password(host: str) -> None:
    failure = refusal(host)

    assert failure.exit_code == 2
    assert str(failure).startswith(f"{host} can be reached from other machines: set CONSOLE_PASSWORD")


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        failure = refusal(port=port)

    assert failure.exit_code == 1
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use" in str(failure)


def test_a_short_password_is_refused_without_being_shown() -> None:
    with pytest.raises(SettingsError, match=r"CONSOLE_PASSWORD: the value \(not shown\) .* is shorter than 8") as error:
        Settings.load({"CONSOLE_PASSWORD": "hunter2"}, Path("/nonexistent/.env"))
    assert "hunter2" not in str(error.value)


def test_a_password_is_kept_as_a_secret() -> None:
    settings = Settings.load({"CONSOLE_PASSWORD": " correct horse \n"}, Path("/nonexistent/.env"))

    assert settings.console_password is not None
    assert settings.console_password.get_secret_value() == "correct horse"
    assert "correct horse" in settings.secrets()
    assert "correct horse" not in repr(settings)
