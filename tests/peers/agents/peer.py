"""A small agent on the official SDK, for tests: `peer.py 1.0|0.3 stream|ask`. Says `PORT n` when it listens.

What it does is the first word of its task: it echoes what follows and names the message, works until it is cancelled, or asks
for a colour first.
"""

import asyncio
import logging
import socket
import sys

import uvicorn
from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Role
from starlette.applications import Starlette


def said(words):
    return new_text_message(words, role=Role.ROLE_AGENT)


class Peer(AgentExecutor):
    async def execute(self, context, event_queue):
        verb, _, rest = context.get_user_input().partition(" ")
        if verb == "answer":
            await event_queue.enqueue_event(said(rest))
            return
        is_new = context.current_task is None
        if is_new:
            task = new_task_from_user_message(context.message)
            task.id, task.context_id = context.task_id, context.context_id
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work(said("on it"))
        if verb == "slow":
            await asyncio.Event().wait()
        elif verb == "ask":
            await updater.requires_input(said("Which colour?"))
        elif verb == "fail":
            await updater.failed(said(rest))
        elif verb == "crash":
            raise RuntimeError(rest)
        else:
            message = context.message.message_id
            await updater.add_artifact([new_text_part(rest)], artifact_id="a", append=False)
            await updater.add_artifact([new_text_part(f" as {message}")], artifact_id="a", append=True)
            await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def main():
    version, way = sys.argv[1:]
    logging.disable()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    port = listener.getsockname()[1]
    skill = AgentSkill(id="echo", name="Echo", description="Says it again.", tags=["test"])
    card = AgentCard(
        name="Peer",
        description="Built on the official SDK.",
        version="1",
        supported_interfaces=[
            AgentInterface(
                url=f"http://127.0.0.1:{port}/rpc", protocol_binding="JSONRPC", protocol_version=version
            )
        ],
        capabilities=AgentCapabilities(streaming=way == "stream"),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[skill],
    )
    handler = DefaultRequestHandlerV2(
        agent_executor=Peer(), task_store=InMemoryTaskStore(), agent_card=card
    )
    routes = create_agent_card_routes(card) + create_jsonrpc_routes(
        handler, "/rpc", enable_v0_3_compat=version == "0.3"
    )
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error"))
    print(f"PORT {port}", flush=True)
    server.run(sockets=[listener])


main()
