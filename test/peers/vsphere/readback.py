"""Reads VMs through pyvmomi, VMware's own client, and prints them as JSON: readback.py URL USER PASSWORD GUEST_USER GUEST_PASSWORD NAME..."""
import json
import ssl
import sys
from urllib.parse import urlparse

from pyVim.connect import Disconnect, SmartConnect
from pyVmomi import vim, vmodl

url, user, password, guest_user, guest_password, *names = sys.argv[1:]
address = urlparse(url)
context = ssl._create_unverified_context()
service = SmartConnect(host=address.hostname, port=address.port, user=user, pwd=password, sslContext=context)
content = service.RetrieveContent()
view = content.viewManager.CreateContainerView(content.rootFolder, [vim.VirtualMachine], True)
result = {}
for vm in view.view:
    try:
        if vm.name not in names:
            continue
    except vmodl.fault.ManagedObjectNotFound:  # removed meanwhile
        continue
    devices = vm.config.hardware.device
    cards = [d for d in devices if isinstance(d, vim.vm.device.VirtualEthernetCard)]
    disks = [d for d in devices if isinstance(d, vim.vm.device.VirtualDisk)]
    auth = vim.vm.guest.NamePasswordAuthentication(username=guest_user, password=guest_password)
    processes = []
    if vm.runtime.powerState == "poweredOn":
        processes = content.guestOperationsManager.processManager.ListProcessesInGuest(vm, auth)
    result[vm.name] = {
        "annotation": vm.config.annotation,
        "cpus": vm.config.hardware.numCPU,
        "memoryMB": vm.config.hardware.memoryMB,
        "power": vm.runtime.powerState,
        "template": vm.config.template,
        "address": vm.guest.ipAddress,
        "cards": [type(c).__name__.rsplit(".", 1)[-1] for c in cards],
        "networks": [getattr(c.backing, "deviceName", None) or c.backing.port.portgroupKey for c in cards],
        "disksGB": [d.capacityInKB / 1024 / 1024 for d in disks],
        "datastores": [d.name for d in vm.datastore],
        "pool": None if vm.config.template else vm.resourcePool.name,
        "folder": vm.parent.name,
        "linked": all(d.backing.parent is not None for d in disks),
        "processes": [p.cmdLine for p in processes],
    }
view.Destroy()
Disconnect(service)
print(json.dumps(result))
