// client-go-sync KUBECONFIG GROUP VERSION RESOURCE: how long client-go takes to list all objects of a kind into an informer, and the
// memory it then holds, as one line of JSON. The counterpart of ../sync.ts.
package main

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	config.QPS = -1 // no limit of its own
	client := dynamic.NewForConfigOrDie(config)
	resource := schema.GroupVersionResource{Group: os.Args[2], Version: os.Args[3], Resource: os.Args[4]}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informer := factory.ForResource(resource).Informer()
	stop := make(chan struct{})
	began, used := time.Now(), processor()
	factory.Start(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced) {
		panic("not synced")
	}
	took, cost := time.Since(began), processor()-used
	debug.FreeOSMemory()
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"objects":         len(informer.GetStore().List()),
		"milliseconds":    float64(took.Microseconds()) / 1000,
		"cpuMilliseconds": float64(cost.Microseconds()) / 1000,
		"residentBytes":   resident(),
	}))
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

func resident() int {
	text, err := os.ReadFile("/proc/self/statm")
	check(err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	check(err)
	return pages * os.Getpagesize()
}
