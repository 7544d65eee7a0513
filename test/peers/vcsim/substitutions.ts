/** An edit of a file of govmomi's simulator: every one must apply, or the recipe fails. */
export interface Substitution {
  readonly file: string
  readonly from: RegExp
  readonly to: string
}

const machine = 'simulator/virtual_machine.go'
const collector = 'simulator/property_collector.go'

/** The calls that the simulator answers too simply get another name; plus.go has the better ones, which call them. */
function renamed(method: string, receiver: string, name: string): Substitution {
  return {
    file: machine,
    from: new RegExp(`^func \\(${receiver} \\*VirtualMachine\\) ${method}\\(`, 'm'),
    to: `func (${receiver} *VirtualMachine) ${name}(`,
  }
}

/** What turns govmomi's simulator 0.24.2 into vcsim-plus, besides plus.go. */
export const substitutions: readonly Substitution[] = [
  renamed('CloneVMTask', 'vm', 'origClone'),
  renamed('ReconfigVMTask', 'vm', 'origReconfig'),
  renamed('RenameTask', 'o', 'origRename'),
  renamed('MarkAsTemplate', 'vm', 'origMark'),
  renamed('PowerOnVMTask', 'vm', 'origOn'),
  renamed('PowerOffVMTask', 'vm', 'origOff'),
  renamed('ShutdownGuest', 'vm', 'origShutdown'),
  renamed('DestroyTask', 'vm', 'origDestroy'),
  { file: machine, from: /clone\.MarkAsTemplate\(/g, to: 'clone.origMark(' },
  { file: machine, from: /vm\.PowerOffVMTask\(ctx/g, to: 'vm.origOff(ctx' },
  { file: machine, from: /vm\.PowerOnVMTask\(ctx/g, to: 'vm.origOn(ctx' },
  // A clone must not share the device objects of its template.
  { file: machine, from: /devices := vm\.Config\.Hardware\.Device$/gm, to: 'devices := copyDevices(vm.Config.Hardware.Device)' },
  // An edited device need not bring a description.
  {
    file: machine,
    from: /device\.DeviceInfo\.GetDescription\(\)\.Summary = "" .*/,
    to: 'if device.DeviceInfo != nil {\n\t\t\t\tdevice.DeviceInfo.GetDescription().Summary = ""\n\t\t\t}',
  },
  // Paging: plus.go has RetrievePropertiesEx and ContinueRetrievePropertiesEx.
  {
    file: collector,
    from: /^func \(pc \*PropertyCollector\) RetrievePropertiesEx\(/m,
    to: 'func (pc *PropertyCollector) origRetrieveEx(',
  },
  { file: collector, from: /res := pc\.RetrievePropertiesEx\(/g, to: 'res := pc.origRetrieveEx(' },
  // Listen before the first look, so that nothing falls between the two.
  {
    file: collector,
    from: /apply\(\) {16}\/\/ Collect current state\n\t\tset\.Version = "-" {6}\/\/ Next.*\n\t\tctx\.Map\.AddHandler\(pc\) \/\/ Listen.*\n/,
    to: 'ctx.Map.AddHandler(pc)\n\t\tapply()\n\t\tset.Version = "-"\n',
  },
  // What a task is in the middle of is not told: one change of a vCenter is one update, not several.
  {
    file: collector,
    from: /(case <-ticker\.C:\n)(\t+pc\.mu\.Lock\(\)\n.*\n.*\n\t+pc\.mu\.Unlock\(\)\n)/,
    to: '$1\t\t\tplusMu.Lock()\n$2\t\t\tplusMu.Unlock()\n',
  },
  { file: collector, from: /time\.NewTicker\(250 \* time\.Millisecond\)/, to: 'time.NewTicker(20 * time.Millisecond)' },
  // Collect the whole inventory again at most once a tick, and only for changes that can bring new objects in.
  {
    file: collector,
    from: /(applying %d updates to %d filters".*\n)/,
    to: `$1
			applied := false
			applyTick := func() bool {
				if applied {
					return true
				}
				applied = true
				return apply()
			}
`,
  },
  {
    file: collector,
    from: /(case types\.ObjectUpdateKindEnter: \/\/ Create\n\t+if )!apply\(\)/,
    to: '$1!plusLeafNew(update.Obj) && !applyTick()',
  },
  {
    file: collector,
    from: /(has %d changes", update\.Obj, len\(update\.ChangeSet\)\)\n)(\t+if )!apply\(\)[^\n{]*/,
    to: '$1pc.plusEntering(ctx, set, filter, update.Obj)\n$2!plusLeaf(update.Obj) && !applyTick() ',
  },
  {
    file: collector,
    from: /if _, ok := filter\.refs\[update\.Obj\]; ok \{(\n\t+\/\/ This object has already)/,
    to: 'if _, ok := filter.refs[update.Obj]; ok && !plusEntered(set, update.Obj) {$1',
  },
  // All filters go with their collector; to shorten the list while walking along it left every second one behind.
  {
    file: collector,
    from: /for _, ref := range pc\.Filter \{(\n.*\n\t\tfilter\.DestroyPropertyFilter)/,
    to: 'for _, ref := range append([]types.ManagedObjectReference(nil), pc.Filter...) {$1',
  },
  // The tasks that plus.go starts say themselves that they are recent; those inside them are nobody's business.
  { file: 'simulator/task_manager.go', from: /if ref\.Type != "Task" \{/, to: 'if ref.Type != "Task" || plusReady {' },
  {
    file: 'simulator/authorization_manager.go',
    from: /^func \(m \*AuthorizationManager\) HasPrivilegeOnEntities\(/m,
    to: 'func (m *AuthorizationManager) origHas(',
  },
]
