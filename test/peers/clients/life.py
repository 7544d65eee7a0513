"""Creates, watches, patches and deletes nests with the official Python client, and prints one JSON line for each thing it saw."""

import json
import sys
import threading

from kubernetes import client, config, watch

GROUP, VERSION, PLURAL = "demo.aviary.dev", "v1alpha1", "nests"
namespace = sys.argv[2]
config.load_kube_config(sys.argv[1])
nests, core = client.CustomObjectsApi(), client.CoreV1Api()


def say(what, **facts):
    # In one piece: two threads tell what they see, and print would write the line's end apart.
    sys.stdout.write(json.dumps({"what": what, **facts}) + "\n")
    sys.stdout.flush()


def follow(revision):
    for event in watch.Watch().stream(
        nests.list_namespaced_custom_object, GROUP, VERSION, namespace, PLURAL, resource_version=revision, timeout_seconds=30
    ):
        nest = event["object"]
        say("event", type=event["type"], name=nest["metadata"]["name"], eggs=nest["spec"]["eggs"])
        if event["type"] == "DELETED":
            return


start = nests.list_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL)["metadata"]["resourceVersion"]
follower = threading.Thread(target=follow, args=(start,))
follower.start()

body = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Nest", "metadata": {"name": "py"}, "spec": {"eggs": 2}}
made = nests.create_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, body)
say("created", eggs=made["spec"]["eggs"], material=made["spec"]["material"], generation=made["metadata"]["generation"])
patched = nests.patch_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, "py", {"spec": {"eggs": 5}})
say("patched", eggs=patched["spec"]["eggs"], generation=patched["metadata"]["generation"])
try:
    nests.patch_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, "py", {"spec": {"eggs": 99}})
except client.ApiException as refused:
    say("refused", status=refused.status, reason=json.loads(refused.body)["reason"])
nests.delete_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, "py")
follower.join(30)
try:
    nests.get_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, "py")
except client.ApiException as gone:
    say("gone", status=gone.status)

# Typed objects too: the client turns the answers into its own classes and is strict about them.
core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="py"), data={"a": "1"}))
core.patch_namespaced_config_map("py", namespace, {"data": {"b": "2"}})
say("config map", data=core.read_namespaced_config_map("py", namespace).data)
core.delete_namespaced_config_map("py", namespace)
say("config maps", names=[item.metadata.name for item in core.list_namespaced_config_map(namespace).items])
