// govmomi-bench URL MODE: what govmomi takes, as one line of JSON. MODE min or full: to list all VMs, the CPU in
// milliseconds of the first listing of a process and of later ones. MODE watch: from somebody's change of a VM until
// a watch of all VMs has told of it, milliseconds. The counterpart of ../aviary-child.ts and ../watching-child.ts.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"sort"
	"syscall"
	"time"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

var small = []string{"name", "runtime.powerState", "runtime.bootTime", "runtime.host", "config.annotation", "config.template", "summary.config.numCpu",
	"summary.config.memorySizeMB", "guest.ipAddress", "guest.net", "guest.guestOperationsReady"}
var full = []string{"name", "summary", "guest", "config"}

func main() {
	ctx := context.Background()
	target, err := url.Parse(os.Args[1])
	check(err)
	client, err := govmomi.NewClient(ctx, target, true)
	check(err)
	if os.Args[2] == "watch" {
		watch(ctx, client, target)
		return
	}
	paths := small
	if os.Args[2] == "full" {
		paths = full
	}
	var costs []float64
	count := 0
	for round := 0; round < 8; round++ {
		used := processor()
		container, err := view.NewManager(client.Client).CreateContainerView(ctx, client.ServiceContent.RootFolder, []string{"VirtualMachine"}, true)
		check(err)
		var vms []mo.VirtualMachine
		check(container.Retrieve(ctx, []string{"VirtualMachine"}, paths, &vms))
		costs, count = append(costs, float64((processor()-used).Microseconds())/1000), len(vms)
		check(container.Destroy(ctx))
	}
	check(client.Logout(ctx))
	first, later := costs[0], costs[3:]
	sort.Float64s(later)
	check(json.NewEncoder(os.Stdout).Encode(map[string]float64{"vms": float64(count), "first": first, "later": later[len(later)/2]}))
}

// watch follows all VMs, as a program that needs them current would, and has another session change one of them.
func watch(ctx context.Context, client *govmomi.Client, target *url.URL) {
	other, err := govmomi.NewClient(ctx, target, true)
	check(err)
	container, err := view.NewManager(client.Client).CreateContainerView(ctx, client.ServiceContent.RootFolder, []string{"VirtualMachine"}, true)
	check(err)
	var changed types.ManagedObjectReference
	ready, seen := make(chan struct{}), make(chan string, 1000)
	go func() {
		isFirst := true
		filter := new(property.WaitFilter).Add(container.Reference(), "VirtualMachine", small, container.TraversalSpec())
		check(property.WaitForUpdates(ctx, property.DefaultCollector(client.Client), filter, func(updates []types.ObjectUpdate) bool {
			if isFirst {
				changed, isFirst = updates[0].Obj, false
				close(ready)
				return false
			}
			for _, update := range updates {
				for _, change := range update.ChangeSet {
					if text, ok := change.Val.(string); ok && change.Name == "config.annotation" && update.Obj == changed {
						seen <- text
					}
				}
			}
			return false
		}))
	}()
	<-ready
	vm := object.NewVirtualMachine(other.Client, changed)
	var times []float64
	for round := 0; round < 60; round++ {
		wanted := fmt.Sprintf("change %d", round)
		time.Sleep(time.Duration(30+(round*7)%40) * time.Millisecond)
		began := time.Now()
		_, err := vm.Reconfigure(ctx, types.VirtualMachineConfigSpec{Annotation: wanted})
		check(err)
		for <-seen != wanted {
		}
		times = append(times, float64(time.Since(began).Microseconds())/1000)
	}
	check(other.Logout(ctx))
	sort.Float64s(times)
	check(json.NewEncoder(os.Stdout).Encode(map[string]float64{"median": times[len(times)/2], "p90": times[len(times)*9/10]}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func processor() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
