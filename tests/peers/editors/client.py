"""An editor on the official SDK: python client.py COUNTERSIGN FOLDER. It says `all is well`, or fails."""

import asyncio
import os
import sys

from acp import PROTOCOL_VERSION, RequestError, spawn_agent_process, text_block
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

MODEL = "anthropic/claude-sonnet-5-5"


class Editor:
    """Answers permission requests as it is told to, and keeps what it hears."""

    def __init__(self):
        self.option = None
        self.asked = asyncio.Queue()
        self.heard = asyncio.Queue()
        self.words = ""

    def on_connect(self, agent):
        pass

    async def request_permission(self, session_id, tool_call, options, **_):
        self.asked.put_nowait((tool_call, options))
        if self.option is None:
            # The turn is cancelled while it waits.
            await asyncio.sleep(0)
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        kinds = {option.kind: option.option_id for option in options}
        chosen = AllowedOutcome(outcome="selected", option_id=kinds[self.option])
        return RequestPermissionResponse(outcome=chosen)

    async def session_update(self, session_id, update, **_):
        if update.session_update == "agent_message_chunk":
            self.words += update.content.text
        self.heard.put_nowait(update)

    async def until(self, is_it):
        while True:
            update = await self.heard.get()
            if is_it(update):
                return update


def check(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


async def prompt(agent, session, text):
    answer = await agent.prompt(session_id=session, prompt=[text_block(text)])
    return answer.stop_reason


async def cancelled(agent, session, editor, is_time):
    task = asyncio.create_task(prompt(agent, session, "go"))
    await editor.until(is_time)
    await agent.cancel(session_id=session)
    check(await task, "cancelled")
    editor.option = "allow_once"
    check(await prompt(agent, session, "go on"), "end_turn")


async def converse(agent, editor, folder):
    greeted = await agent.initialize(protocol_version=PROTOCOL_VERSION)
    check(greeted.protocol_version, 1)
    check(greeted.agent_capabilities.load_session, True)
    opened = await agent.new_session(cwd=folder, mcp_servers=[])
    session = opened.session_id
    check(opened.modes.current_mode_id, "ask")
    options = {option.id: option for option in opened.config_options}
    check(options["model"].current_value, MODEL)

    editor.option = "allow_once"
    check(await prompt(agent, session, "make it"), "end_turn")
    call, _ = editor.asked.get_nowait()
    check((call.kind, call.raw_input["command"]), ("execute", "touch allowed"))
    editor.option = "reject_once"
    check(await prompt(agent, session, "make the other"), "end_turn")
    check(editor.words, "It is there.It is not.")

    def is_said(update):
        return update.session_update == "agent_message_chunk" and "Partly" in update.content.text

    def is_call(update):
        return update.session_update == "tool_call" and "waiting" in update.title

    def has_begun(update):
        return update.session_update == "tool_call_update" and "begun" in str(update.content)

    await cancelled(agent, session, editor, is_said)
    editor.option = None
    await cancelled(agent, session, editor, is_call)
    await cancelled(agent, session, editor, has_begun)

    await agent.set_session_mode(session_id=session, mode_id="plan")
    await editor.until(lambda one: one.session_update == "current_mode_update" and one.current_mode_id == "plan")
    set_to = await agent.set_config_option(session_id=session, config_id="mode", value="ask")
    check({one.id: one.current_value for one in set_to.config_options}["mode"], "ask")
    others = [one.value for one in options["model"].options if one.value.startswith("anthropic/")]
    other = next(name for name in others if name != MODEL)
    set_to = await agent.set_config_option(session_id=session, config_id="model", value=other)
    check({one.id: one.current_value for one in set_to.config_options}["model"], other)

    listed = await agent.list_sessions(cwd=folder)
    check([one.session_id for one in listed.sessions], [session])
    await agent.close_session(session_id=session)
    editor.words = ""
    await agent.load_session(cwd=folder, session_id=session, mcp_servers=[])
    assert editor.words.startswith("It is there.It is not.Partly said"), editor.words
    check(await prompt(agent, session, "and on"), "end_turn")
    assert editor.words.endswith("Loaded."), editor.words
    try:
        await agent.load_session(cwd="/", session_id=session, mcp_servers=[])
    except RequestError as error:
        assert "belongs to" in str(error), error
    else:
        raise AssertionError("a session of another folder was loaded")


async def main():
    program, folder = sys.argv[1:]
    editor = Editor()
    names = ("HOME", "PATH", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
    environment = {name: os.environ[name] for name in names}
    limits = {"limit": 1 << 24}
    words = ("acp", "-m", MODEL, "--mode", "ask")
    async with spawn_agent_process(
        editor, program, *words, env=environment, cwd=folder, transport_kwargs=limits
    ) as (agent, process):
        await converse(agent, editor, folder)
    print("all is well")


asyncio.run(asyncio.wait_for(main(), 120))
