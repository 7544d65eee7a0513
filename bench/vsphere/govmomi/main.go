// govmomi-bench URL MODE: what govmomi takes to list all VMs (MODE min or full): the CPU, in milliseconds,
// of the first listing of a process and of later ones, as one line of JSON.
// The counterpart of ../aviary-child.ts.
package main

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"sort"
	"syscall"
	"time"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/mo"
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
