package simulator

// Calls that the simulator does not have or answers too simply, and what a test does to the vCenter itself.
import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// ---- privileges ----------------------------------------------------------
var denied = strings.Fields(strings.ReplaceAll(os.Getenv("PLUS_DENY"), ",", " "))

func (m *AuthorizationManager) HasPrivilegeOnEntities(r *types.HasPrivilegeOnEntities) soap.HasFault {
	b := m.origHas(r)
	if x, ok := b.(*methods.HasPrivilegeOnEntitiesBody); ok && x.Res != nil {
		for i := range x.Res.Returnval {
			for k := range x.Res.Returnval[i].PrivAvailability {
				for _, d := range denied {
					if x.Res.Returnval[i].PrivAvailability[k].PrivId == d {
						x.Res.Returnval[i].PrivAvailability[k].IsGranted = false
					}
				}
			}
		}
	}
	return b
}

// ---- paging -------------------------------------------------------------
var (
	pageMu sync.Mutex
	pages  = map[string][]types.ObjectContent{}
	pageSz = map[string]int{}
	pageN  int
)

func page(objs []types.ObjectContent, max int) ([]types.ObjectContent, string) {
	if max <= 0 || len(objs) <= max {
		return objs, ""
	}
	pageMu.Lock()
	defer pageMu.Unlock()
	pageN++
	tok := strconv.Itoa(pageN)
	pages[tok], pageSz[tok] = objs[max:], max
	return objs[:max], tok
}
func (pc *PropertyCollector) RetrievePropertiesEx(ctx *Context, r *types.RetrievePropertiesEx) soap.HasFault {
	b := pc.origRetrieveEx(ctx, r)
	if x, ok := b.(*methods.RetrievePropertiesExBody); ok && x.Res != nil && x.Res.Returnval != nil {
		x.Res.Returnval.Objects, x.Res.Returnval.Token = page(x.Res.Returnval.Objects, int(r.Options.MaxObjects))
	}
	return b
}
func (pc *PropertyCollector) ContinueRetrievePropertiesEx(ctx *Context, r *types.ContinueRetrievePropertiesEx) soap.HasFault {
	b := new(methods.ContinueRetrievePropertiesExBody)
	pageMu.Lock()
	o, ok := pages[r.Token]
	n := pageSz[r.Token]
	delete(pages, r.Token)
	delete(pageSz, r.Token)
	pageMu.Unlock()
	if !ok {
		b.Fault_ = Fault("", &types.InvalidProperty{Name: "token"})
		return b
	}
	b.Res = new(types.ContinueRetrievePropertiesExResponse)
	b.Res.Returnval.Objects, b.Res.Returnval.Token = page(o, n)
	return b
}

// ---- guest operations ---------------------------------------------------
type GuestAuthManager struct{ mo.GuestAuthManager }

type proc struct {
	vm   types.ManagedObjectReference
	info types.GuestProcessInfo
	Env  []string
}

var (
	procMu sync.Mutex
	procs  []*proc
	procID int64 = 1000
)

func guestCheck(ref types.ManagedObjectReference, a types.BaseGuestAuthentication) types.BaseMethodFault {
	vm, ok := Map.Get(ref).(*VirtualMachine)
	if !ok {
		return &types.ManagedObjectNotFound{Obj: ref}
	}
	if vm.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn {
		return &types.InvalidPowerState{RequestedState: types.VirtualMachinePowerStatePoweredOn, ExistingState: vm.Runtime.PowerState}
	}
	if vm.Guest.GuestOperationsReady == nil || !*vm.Guest.GuestOperationsReady {
		return new(types.GuestOperationsUnavailable)
	}
	n, ok := a.(*types.NamePasswordAuthentication)
	if !ok || n.Username == "" || n.Password == "" || (plusUser != "" && (n.Username != plusUser || n.Password != plusPass)) {
		return new(types.InvalidGuestLogin)
	}
	return nil
}
func (m *GuestAuthManager) ValidateCredentialsInGuest(ctx *Context, r *types.ValidateCredentialsInGuest) soap.HasFault {
	b := new(methods.ValidateCredentialsInGuestBody)
	if f := guestCheck(r.Vm, r.Auth); f != nil {
		b.Fault_ = Fault("", f)
	} else {
		b.Res = new(types.ValidateCredentialsInGuestResponse)
	}
	return b
}
func (m *GuestProcessManager) StartProgramInGuest(ctx *Context, r *types.StartProgramInGuest) soap.HasFault {
	b := new(methods.StartProgramInGuestBody)
	if f := guestCheck(r.Vm, r.Auth); f != nil {
		b.Fault_ = Fault("", f)
		return b
	}
	s := r.Spec.GetGuestProgramSpec()
	procMu.Lock()
	defer procMu.Unlock()
	procID++
	now := time.Now()
	procs = append(procs, &proc{r.Vm, types.GuestProcessInfo{Name: s.ProgramPath, Pid: procID, Owner: r.Auth.(*types.NamePasswordAuthentication).Username, CmdLine: s.ProgramPath + " " + s.Arguments, StartTime: now, EndTime: &now}, s.EnvVariables})
	b.Res = &types.StartProgramInGuestResponse{Returnval: procID}
	return b
}
func (m *GuestProcessManager) ListProcessesInGuest(ctx *Context, r *types.ListProcessesInGuest) soap.HasFault {
	b := new(methods.ListProcessesInGuestBody)
	if f := guestCheck(r.Vm, r.Auth); f != nil {
		b.Fault_ = Fault("", f)
		return b
	}
	b.Res = new(types.ListProcessesInGuestResponse)
	procMu.Lock()
	defer procMu.Unlock()
	for _, p := range procs {
		if p.vm == r.Vm && (len(r.Pids) == 0 || containsPid(r.Pids, p.info.Pid)) {
			b.Res.Returnval = append(b.Res.Returnval, p.info)
		}
	}
	return b
}
func containsPid(l []int64, p int64) bool {
	for _, x := range l {
		if x == p {
			return true
		}
	}
	return false
}

// ---- control --------------------------------------------------------------
var holding = map[string]int{} // the next tasks of that name do not end by themselves

func held(name string) bool {
	taskMu.Lock()
	defer taskMu.Unlock()
	if holding[name] == 0 {
		return false
	}
	holding[name]--
	return true
}

// plusControl: what a test does to the vCenter itself. POST /plus/hold?task=cloneVm, /plus/expire; GET /plus/state.
func plusControl(s *Service, w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/plus/hold":
		taskMu.Lock()
		holding[r.URL.Query().Get("task")]++
		taskMu.Unlock()
	case "/plus/expire":
		sessionMutex.Lock()
		s.sm.sessions = map[string]Session{}
		sessionMutex.Unlock()
	case "/plus/state":
		sessionMutex.Lock()
		views, filters := 0, 0
		for _, session := range s.sm.sessions {
			session.Registry.m.Lock()
			for ref := range session.Registry.objects {
				switch ref.Type {
				case "ContainerView", "ListView":
					views++
				case "PropertyFilter":
					filters++
				}
			}
			session.Registry.m.Unlock()
		}
		sessions := len(s.sm.sessions)
		sessionMutex.Unlock()
		taskMu.Lock()
		running := len(cancels)
		taskMu.Unlock()
		fmt.Fprintf(w, `{"sessions":%d,"views":%d,"filters":%d,"tasks":%d}`, sessions, views, filters, running)
	default:
		http.NotFound(w, r)
	}
}

// PlusInit is called by main after Model.Create.
func PlusInit() {
	RegisterEndpoint(func(s *Service, _ *Registry) {
		s.HandleFunc("/plus/", func(w http.ResponseWriter, r *http.Request) { plusControl(s, w, r) })
	})
	gm := Map.Get(*Map.content().GuestOperationsManager).(*GuestOperationsManager)
	am := &GuestAuthManager{}
	am.Self = types.ManagedObjectReference{Type: "GuestAuthManager", Value: "guestOperationsAuthManager"}
	gm.AuthManager = &am.Self
	Map.Put(am)
	plusReady = true
	SessionIdleTimeout = envMS("PLUS_SESSION_IDLE_MS", 0)
	for _, e := range Map.All("ResourcePool") { // large enough for what the tests run on it
		if pool, ok := e.(*ResourcePool); ok {
			for _, of := range []*types.ResourcePoolResourceUsage{&pool.Runtime.Cpu, &pool.Runtime.Memory} {
				of.MaxUsage, of.OverallUsage, of.ReservationUsed, of.UnreservedForVm = 1<<40, 1<<30, 0, 1<<40
			}
			pool.Runtime.Cpu.MaxUsage, pool.Runtime.Cpu.UnreservedForVm, pool.Runtime.Cpu.OverallUsage = 400_000, 400_000, 1_000
		}
	}
	for _, e := range Map.All("VirtualMachine") {
		if vm, ok := e.(*VirtualMachine); ok && vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
			vm.guestUp()
		}
	}
}
