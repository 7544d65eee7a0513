package simulator

// What a real vCenter does and govmomi's simulator 0.24.2 does not. Compiled into a copy of its package by recipes/vcsim.ts.
import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

func envMS(k string, d int) time.Duration {
	if v, err := strconv.Atoi(os.Getenv(k)); err == nil {
		d = v
	}
	return time.Duration(d) * time.Millisecond
}

var (
	plusClone = envMS("PLUS_CLONE_MS", 300)  // duration of a clone task
	plusTask  = envMS("PLUS_TASK_MS", 30)    // duration of the other tasks
	plusTools = envMS("PLUS_TOOLS_MS", 400)  // power on -> VMware Tools up
	plusIP    = envMS("PLUS_IP_MS", 500)     // power on -> guest IP
	plusUser  = os.Getenv("PLUS_GUEST_USER") // "" = any
	plusPass  = os.Getenv("PLUS_GUEST_PASS")
	plusDHCP  int32
	plusMu    sync.Mutex
	plusReady bool // false while Model.Create builds the inventory: tasks stay synchronous
)

// plusLeaf: a change of such an object cannot add objects to a filter other than through a view or the list of recent tasks,
// which plusEntering looks after, so the O(N) re-collect is skipped.
func plusLeaf(r types.ManagedObjectReference) bool {
	switch r.Type {
	case "VirtualMachine", "Task", "TaskManager", "ContainerView", "ListView", "HostSystem", "Datastore", "ResourcePool", "EventHistoryCollector", "Folder":
		return true
	}
	return false
}

func plusLeafNew(r types.ManagedObjectReference) bool {
	return r.Type == "Task" || r.Type == "VirtualMachine"
}

// plusEntering adds to set what a changed view, or the list of recent tasks, brings into the filter.
func (pc *PropertyCollector) plusEntering(ctx *Context, set *types.UpdateSet, filter *PropertyFilter, changed types.ManagedObjectReference) {
	if changed.Type != "ContainerView" && changed.Type != "ListView" && changed.Type != "TaskManager" {
		return
	}
	for _, o := range filter.Spec.ObjectSet {
		if o.Obj != changed {
			continue
		}
		var members []types.ManagedObjectReference
		if view, ok := ctx.Session.Get(changed).(*ContainerView); ok {
			members = view.View
		} else if list, ok := ctx.Session.Get(changed).(*ListView); ok {
			members = append(members, list.View...)
		} else if tasks, ok := Map.Get(changed).(*TaskManager); ok {
			tasks.Lock()
			members = tasks.RecentTask
			tasks.Unlock()
		}
		r := &types.RetrievePropertiesEx{SpecSet: []types.PropertyFilterSpec{{PropSet: filter.Spec.PropSet, ReportMissingObjectsInResults: types.NewBool(true)}}}
		for _, ref := range members {
			if _, ok := filter.refs[ref]; !ok {
				r.SpecSet[0].ObjectSet = append(r.SpecSet[0].ObjectSet, types.ObjectSpec{Obj: ref})
			}
		}
		if len(r.SpecSet[0].ObjectSet) == 0 {
			return
		}
		res, fault := pc.collect(ctx, r)
		if fault != nil {
			return
		}
		fu := types.PropertyFilterUpdate{Filter: filter.Self}
		for _, found := range res.Objects {
			filter.refs[found.Obj] = struct{}{}
			ou := types.ObjectUpdate{Obj: found.Obj, Kind: types.ObjectUpdateKindEnter}
			for _, p := range found.PropSet {
				ou.ChangeSet = append(ou.ChangeSet, types.PropertyChange{Op: types.PropertyChangeOpAssign, Name: p.Name, Val: p.Val})
			}
			fu.ObjectSet = append(fu.ObjectSet, ou)
		}
		if len(fu.ObjectSet) != 0 {
			set.FilterSet = append(set.FilterSet, fu)
		}
	}
}

func copyDevices(in []types.BaseVirtualDevice) []types.BaseVirtualDevice {
	src, dst := types.ArrayOfVirtualDevice{VirtualDevice: in}, types.ArrayOfVirtualDevice{}
	deepCopy(&src, &dst)
	return dst.VirtualDevice
}

// plusEntered: what enters is told as it is now, so older changes of it are not told again.
func plusEntered(set *types.UpdateSet, ref types.ManagedObjectReference) bool {
	for _, f := range set.FilterSet {
		for _, o := range f.ObjectSet {
			if o.Obj == ref && o.Kind == types.ObjectUpdateKindEnter {
				return true
			}
		}
	}
	return false
}

// ---- tasks ---------------------------------------------------------------
var (
	taskMu  sync.Mutex
	holders = map[types.ManagedObjectReference]types.ManagedObjectReference{} // VM -> the task that holds it
	cancels = map[types.ManagedObjectReference]chan struct{}{}
)

// async runs f as an asynchronous vCenter task with the lock of vm held while f runs. One at a time may change a VM.
func (vm *VirtualMachine) async(ctx *Context, name string, d time.Duration, f func() (types.AnyType, types.BaseMethodFault)) types.ManagedObjectReference {
	if !plusReady {
		return CreateTask(vm, name, func(*Task) (types.AnyType, types.BaseMethodFault) { return f() }).Run()
	}
	var refusal types.BaseMethodFault
	t := CreateTask(vm, name, func(*Task) (r types.AnyType, e types.BaseMethodFault) {
		if refusal != nil {
			return nil, refusal
		}
		plusMu.Lock() // one task body at a time: 0.24.2 publishes half-built VMs, FindByName panics on them
		defer plusMu.Unlock()
		Map.WithLock(vm, func() { r, e = f() })
		return
	})
	t.Info.EntityName = vm.Name
	if held(name) {
		d = 24 * time.Hour
	}
	t.Info.Cancelable = true
	now := time.Now()
	t.Info.StartTime, t.Info.State = &now, types.TaskInfoStateRunning
	Map.Get(*Map.content().TaskManager).(*TaskManager).plusRecent(t.Self)
	cancel := make(chan struct{}, 1)
	taskMu.Lock()
	if holder, held := holders[vm.Self]; held && name != "cloneVm" {
		refusal, d = &types.TaskInProgress{Task: holder}, 0
	} else {
		cancels[t.Self] = cancel
		if name != "cloneVm" { // the source of a clone stays usable
			holders[vm.Self] = t.Self
		}
	}
	taskMu.Unlock()
	go func() {
		select {
		case <-time.After(d / 2):
			if d > 400*time.Millisecond {
				Map.Update(t, []types.PropertyChange{{Name: "info.progress", Val: int32(50)}})
			}
			select {
			case <-time.After(d / 2):
			case <-cancel:
				refusal = new(types.RequestCanceled)
			}
		case <-cancel:
			refusal = new(types.RequestCanceled)
		}
		taskMu.Lock()
		delete(cancels, t.Self)
		if holders[vm.Self] == t.Self {
			defer func() {
				taskMu.Lock()
				delete(holders, vm.Self)
				taskMu.Unlock()
			}()
		}
		taskMu.Unlock()
		t.finish()
	}()
	return t.Self
}

// finish does the work and tells how it ended.
func (t *Task) finish() {
	res, err := t.Execute(t)
	state := types.TaskInfoStateSuccess
	var fault interface{}
	if err != nil {
		state = types.TaskInfoStateError
		fault = types.LocalizedMethodFault{Fault: err, LocalizedMessage: fmt.Sprintf("%T", err)}
	}
	Map.Update(t, []types.PropertyChange{
		{Name: "info.completeTime", Val: time.Now()}, {Name: "info.state", Val: state},
		{Name: "info.result", Val: res}, {Name: "info.error", Val: fault},
	})
}

// plusRecent keeps the running tasks and the last 200, as vCenter does.
func (m *TaskManager) plusRecent(ref types.ManagedObjectReference) {
	m.Lock()
	defer m.Unlock()
	recent := []types.ManagedObjectReference{}
	for i, r := range append(m.RecentTask, ref) {
		t, ok := Map.Get(r).(*Task)
		if ok && (len(m.RecentTask)-i < recentTaskMax || t.Info.CompleteTime == nil) {
			recent = append(recent, r)
		}
	}
	Map.Update(m, []types.PropertyChange{{Name: "recentTask", Val: recent}})
}

func (t *Task) CancelTask(ctx *Context, c *types.CancelTask) soap.HasFault {
	taskMu.Lock()
	defer taskMu.Unlock()
	if cancel, ok := cancels[t.Self]; ok {
		select {
		case cancel <- struct{}{}:
		default:
		}
		return &methods.CancelTaskBody{Res: new(types.CancelTaskResponse)}
	}
	return &methods.CancelTaskBody{Fault_: Fault("", &types.InvalidState{})}
}

func inner(ref types.ManagedObjectReference) (types.AnyType, types.BaseMethodFault) {
	t := Map.Get(ref).(*Task)
	if t.Info.Error != nil {
		return nil, t.Info.Error.Fault
	}
	return t.Info.Result, nil
}

func (vm *VirtualMachine) publishConfig() {
	vm.Config.ChangeVersion = time.Now().UTC().Format(time.RFC3339Nano)
	Map.Update(vm, []types.PropertyChange{
		{Name: "name", Val: vm.Name}, {Name: "config.annotation", Val: vm.Config.Annotation}, {Name: "summary.config.annotation", Val: vm.Config.Annotation},
		{Name: "config.template", Val: vm.Config.Template}, {Name: "summary.config.template", Val: vm.Config.Template},
		{Name: "config.hardware.numCPU", Val: vm.Config.Hardware.NumCPU}, {Name: "summary.config.numCpu", Val: vm.Config.Hardware.NumCPU},
		{Name: "config.hardware.memoryMB", Val: vm.Config.Hardware.MemoryMB}, {Name: "summary.config.memorySizeMB", Val: vm.Config.Hardware.MemoryMB},
	})
}

func (vm *VirtualMachine) guestUp() {
	boot := time.Now()
	Map.Update(vm, []types.PropertyChange{{Name: "runtime.bootTime", Val: boot}, {Name: "summary.runtime.bootTime", Val: boot}})
	alive := func(f func()) {
		Map.WithLock(vm, func() {
			if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn && vm.Runtime.BootTime != nil && vm.Runtime.BootTime.Equal(boot) {
				f()
			}
		})
	}
	go func() {
		time.Sleep(plusTools)
		alive(func() {
			Map.Update(vm, []types.PropertyChange{
				{Name: "guest.toolsRunningStatus", Val: "guestToolsRunning"}, {Name: "guest.toolsStatus", Val: types.VirtualMachineToolsStatusToolsOk},
				{Name: "guest.guestState", Val: "running"}, {Name: "guest.guestOperationsReady", Val: true}})
		})
		if d := plusIP - plusTools; d > 0 {
			time.Sleep(d)
		}
		alive(func() {
			ip := vm.Guest.IpAddress
			if ip == "" && len(vm.Guest.Net) > 0 && len(vm.Guest.Net[0].IpAddress) > 0 {
				ip = vm.Guest.Net[0].IpAddress[0]
			}
			if ip == "" {
				n := atomic.AddInt32(&plusDHCP, 1)
				ip = "172.16." + strconv.Itoa(int(n>>8)&255) + "." + strconv.Itoa(int(n)&255)
			}
			if len(vm.Guest.Net) > 0 {
				vm.Guest.Net[0].IpAddress = []string{ip}
			}
			Map.Update(vm, []types.PropertyChange{{Name: "guest.ipAddress", Val: ip}, {Name: "summary.guest.ipAddress", Val: ip}, {Name: "guest.net", Val: vm.Guest.Net}})
		})
	}()
}

func (vm *VirtualMachine) guestDown() {
	for i := range vm.Guest.Net { // keep the customized address in net config, drop what the tools reported
		if vm.Guest.Net[i].IpConfig == nil {
			vm.Guest.Net[i].IpAddress = nil
		}
	}
	Map.Update(vm, []types.PropertyChange{
		{Name: "runtime.bootTime", Val: nil}, {Name: "summary.runtime.bootTime", Val: nil},
		{Name: "guest.toolsRunningStatus", Val: "guestToolsNotRunning"}, {Name: "guest.guestState", Val: "notRunning"},
		{Name: "guest.guestOperationsReady", Val: false}, {Name: "guest.ipAddress", Val: ""}, {Name: "summary.guest.ipAddress", Val: ""}})
}

func (vm *VirtualMachine) PowerOnVMTask(ctx *Context, c *types.PowerOnVM_Task) soap.HasFault {
	if vm.Config.Template {
		return vm.origOn(ctx, c)
	}
	return &methods.PowerOnVM_TaskBody{Res: &types.PowerOnVM_TaskResponse{Returnval: vm.async(ctx, "powerOn", plusTask, func() (types.AnyType, types.BaseMethodFault) {
		return vm.on(ctx)
	})}}
}
func (vm *VirtualMachine) on(ctx *Context) (types.AnyType, types.BaseMethodFault) {
	_, err := inner(vm.origOn(ctx, &types.PowerOnVM_Task{This: vm.Self}).(*methods.PowerOnVM_TaskBody).Res.Returnval)
	if err == nil && plusReady {
		vm.guestUp()
	}
	return nil, err
}
func (vm *VirtualMachine) PowerOffVMTask(ctx *Context, c *types.PowerOffVM_Task) soap.HasFault {
	return &methods.PowerOffVM_TaskBody{Res: &types.PowerOffVM_TaskResponse{Returnval: vm.async(ctx, "powerOff", plusTask, func() (types.AnyType, types.BaseMethodFault) {
		_, err := inner(vm.origOff(ctx, c).(*methods.PowerOffVM_TaskBody).Res.Returnval)
		if err == nil {
			vm.guestDown()
		}
		return nil, err
	})}}
}
func (vm *VirtualMachine) ShutdownGuest(ctx *Context, c *types.ShutdownGuest) soap.HasFault {
	if vm.Guest.ToolsRunningStatus != "guestToolsRunning" {
		return &methods.ShutdownGuestBody{Fault_: Fault("", new(types.ToolsUnavailable))}
	}
	go func() { // returns at once; the guest powers itself off later
		time.Sleep(plusTools)
		Map.WithLock(vm, func() {
			if vm.origShutdown(ctx, c).Fault() == nil {
				vm.guestDown()
			}
		})
	}()
	return &methods.ShutdownGuestBody{Res: new(types.ShutdownGuestResponse)}
}
func (vm *VirtualMachine) DestroyTask(ctx *Context, c *types.Destroy_Task) soap.HasFault {
	return &methods.Destroy_TaskBody{Res: &types.Destroy_TaskResponse{Returnval: vm.async(ctx, "destroy", plusTask, func() (types.AnyType, types.BaseMethodFault) {
		return inner(vm.origDestroy(ctx, c).(*methods.Destroy_TaskBody).Res.Returnval)
	})}}
}
func (vm *VirtualMachine) ReconfigVMTask(ctx *Context, req *types.ReconfigVM_Task) soap.HasFault {
	return &methods.ReconfigVM_TaskBody{Res: &types.ReconfigVM_TaskResponse{Returnval: vm.async(ctx, "reconfigVm", plusTask, func() (types.AnyType, types.BaseMethodFault) {
		on := vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn
		if on && (req.Spec.NumCPUs != 0 || req.Spec.MemoryMB != 0) {
			return nil, &types.InvalidPowerState{RequestedState: types.VirtualMachinePowerStatePoweredOff, ExistingState: vm.Runtime.PowerState}
		}
		if f := vm.diskEdits(req.Spec.DeviceChange); f != nil {
			return nil, f
		}
		if req.Spec.ChangeVersion != "" && req.Spec.ChangeVersion != vm.Config.ChangeVersion {
			return nil, new(types.ConcurrentAccess)
		}
		if req.Spec.Name != "" && req.Spec.Name != vm.Name {
			if f, ok := asFolderMO(Map.Get(*vm.Parent)); ok {
				if o := Map.FindByName(req.Spec.Name, f.ChildEntity); o != nil {
					return nil, &types.DuplicateName{Name: req.Spec.Name, Object: o.Reference()}
				}
			}
		}
		r, err := inner(vm.origReconfig(ctx, req).(*methods.ReconfigVM_TaskBody).Res.Returnval)
		vm.publishConfig()
		return r, err
	})}}
}

// diskEdits refuses what vCenter refuses: to expand a disk with a parent, and to make a disk smaller.
func (vm *VirtualMachine) diskEdits(changes []types.BaseVirtualDeviceConfigSpec) types.BaseMethodFault {
	for i, change := range changes {
		spec := change.GetVirtualDeviceConfigSpec()
		wanted, ok := spec.Device.(*types.VirtualDisk)
		if !ok || spec.Operation != types.VirtualDeviceConfigSpecOperationEdit {
			continue
		}
		for _, d := range vm.Config.Hardware.Device {
			disk, ok := d.(*types.VirtualDisk)
			if !ok || disk.Key != wanted.Key {
				continue
			}
			backing, flat := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo)
			if wanted.CapacityInKB < disk.CapacityInKB {
				return &types.InvalidDeviceSpec{DeviceIndex: int32(i)}
			}
			if flat && backing.Parent != nil && wanted.CapacityInKB > disk.CapacityInKB {
				return &types.InvalidDeviceOperation{InvalidDeviceSpec: types.InvalidDeviceSpec{DeviceIndex: int32(i)}}
			}
			if mine, ok := wanted.Backing.(*types.VirtualDiskFlatVer2BackingInfo); ok && flat {
				mine.Parent = backing.Parent
			}
		}
	}
	return nil
}

func (vm *VirtualMachine) RenameTask(ctx *Context, r *types.Rename_Task) soap.HasFault {
	return &methods.Rename_TaskBody{Res: &types.Rename_TaskResponse{Returnval: vm.async(ctx, "rename", plusTask, func() (types.AnyType, types.BaseMethodFault) {
		old := vm.Name
		if _, err := inner(vm.origRename(r).(*methods.Rename_TaskBody).Res.Returnval); err != nil {
			if _, ok := err.(*types.InvalidArgument); ok {
				err = &types.DuplicateName{Name: r.NewName, Object: vm.Self}
			}
			return nil, err
		}
		Map.Update(vm, []types.PropertyChange{{Name: "config.name", Val: r.NewName}, {Name: "summary.config.name", Val: r.NewName}})
		ev := &types.VmRenamedEvent{VmEvent: vm.event(), OldName: old, NewName: r.NewName}
		ctx.postEvent(ev)
		if ev.FullFormattedMessage == "" {
			ev.FullFormattedMessage = "Renamed " + r.NewName + " from " + old + " to " + r.NewName
		}
		return nil, nil
	})}}
}
func (vm *VirtualMachine) MarkAsTemplate(req *types.MarkAsTemplate) soap.HasFault {
	r := vm.origMark(req)
	if r.Fault() == nil {
		vm.publishConfig()
	}
	return r
}
func (vm *VirtualMachine) CloneVMTask(ctx *Context, req *types.CloneVM_Task) soap.HasFault {
	takes := plusClone
	if strings.HasPrefix(req.Name, "endless-") { // until it is cancelled
		takes = 24 * time.Hour
	}
	return &methods.CloneVM_TaskBody{Res: &types.CloneVM_TaskResponse{Returnval: vm.async(ctx, "cloneVm", takes, func() (types.AnyType, types.BaseMethodFault) {
		if f, ok := asFolderMO(Map.Get(req.Folder)); ok {
			if o := Map.FindByName(req.Name, f.ChildEntity); o != nil {
				return nil, &types.DuplicateName{Name: req.Name, Object: o.Reference()}
			}
		}
		if strings.HasPrefix(req.Name, "too-big-") {
			return nil, new(types.InsufficientResourcesFault)
		}
		c := req.Spec.Customization
		if c != nil && len(c.NicSettingMap) != 0 && len(c.NicSettingMap) != len(vm.Guest.Net) {
			return nil, &types.NicSettingMismatch{NumberOfNicsInSpec: int32(len(c.NicSettingMap)), NumberOfNicsInVM: int32(len(vm.Guest.Net))}
		}
		r, err := inner(vm.origClone(ctx, req).(*methods.CloneVM_TaskBody).Res.Returnval)
		if err != nil {
			return nil, err
		}
		clone := Map.Get(r.(types.ManagedObjectReference)).(*VirtualMachine)
		if strings.HasPrefix(req.Spec.Location.DiskMoveType, "moveChildMost") || strings.HasPrefix(req.Spec.Location.DiskMoveType, "createNewChild") {
			linkDisks(vm, clone)
		}
		if s := req.Spec.Config; s != nil {
			clone.apply(&types.VirtualMachineConfigSpec{Annotation: s.Annotation, NumCPUs: s.NumCPUs, MemoryMB: s.MemoryMB, NumCoresPerSocket: s.NumCoresPerSocket})
		}
		clone.publishConfig()
		if c != nil && !req.Spec.Template {
			clone.imc = c
			clone.Config.Tools.PendingCustomization = uuid.New().String()
		}
		if req.Spec.PowerOn && !req.Spec.Template {
			if _, err := clone.on(ctx); err != nil {
				return nil, err
			}
		}
		return r, nil
	})}}
}
func linkDisks(src, dst *VirtualMachine) {
	files := map[int32]string{}
	for _, d := range src.Config.Hardware.Device {
		if k, ok := d.(*types.VirtualDisk); ok {
			if b, ok := k.Backing.(*types.VirtualDiskFlatVer2BackingInfo); ok {
				files[k.Key] = b.FileName
			}
		}
	}
	for _, d := range dst.Config.Hardware.Device {
		if k, ok := d.(*types.VirtualDisk); ok {
			if b, ok := k.Backing.(*types.VirtualDiskFlatVer2BackingInfo); ok {
				p := &types.VirtualDiskFlatVer2BackingInfo{}
				p.FileName, p.Datastore, p.DiskMode = files[k.Key], b.Datastore, b.DiskMode
				b.Parent = p
			}
		}
	}
}
