import type { Company } from './company.ts'
import { markOf } from './mark.ts'
import type { Stage } from './stage.ts'
import type { Trouble, TroubleName } from './troubles.ts'

type Strike = (stage: Stage, company: Company, trouble: Trouble) => void

const strikes: Readonly<Record<TroubleName, Strike>> = {
  'program crashes': (_, company, { hatchery, lasts }) => company.crash(hatchery, lasts),
  'program crashes at a call': (_, company, { hatchery, number, lasts }) => company.crashAtCall(hatchery, number, lasts),
  'program is restarted': (_, company, { hatchery, lasts }) => void company.restart(hatchery, lasts),
  'pools are changed': (_, company, { hatchery, lasts, pools }) => {
    company.pools.set(hatchery, pools)
    void company.restart(hatchery, lasts)
  },
  'store is lost': (_, company, { hatchery, lasts }) => company.loseStore(hatchery, lasts),
  'CDS is away': (stage, _, { lasts }) => {
    stage.setCdsAway(true)
    stage.later(lasts, () => stage.setCdsAway(false))
  },
  'sessions of CDS end': ({ cds }) => cds.endHatcherySessions(),
  'all sessions of CDS end': ({ cds }) => cds.endSessions(),
  'web sockets close': ({ cds }) => cds.endWebSockets('close'),
  'web sockets break off': ({ cds }) => cds.endWebSockets('breakOff'),
  'web sockets fall silent': ({ cds }) => cds.endWebSockets('fallSilent'),
  'vCenter is away': (stage, _, { lasts }) => {
    stage.vcenter.setReachable(false)
    stage.later(lasts, () => stage.vcenter.setReachable(true))
  },
  'sessions of vCenter end': ({ vcenter }) => vcenter.expireSessions(),
  'a clone is slow': ({ vcenter }, _, { lasts }) => vcenter.slowNext('clone', lasts),
  'worker model is edited': ({ cds, model }) => cds.changeModelV1(model),
  'VM is switched off': (stage, _, trouble) => meddle(stage, trouble, false, id => stage.vcenter.switchPower(id, 'off')),
  'VM is deleted': (stage, _, trouble) => meddle(stage, trouble, undefined, id => stage.vcenter.removeVm(id)),
  'provision is switched on': (stage, _, trouble) =>
    meddle(stage, trouble, true, id => {
      if (stage.vcenter.find(id)?.vm.power === 'off') stage.switchedOn.add(id)
      stage.vcenter.switchPower(id, 'on')
    }),
}

/** Lets a trouble happen, unless the storm is over by now. */
export function strike(stage: Stage, company: Company, trouble: Trouble): void {
  if (!stage.isStormy) return
  stage.trace.tell('trouble', trouble.what, { lasts: trouble.lasts, hatchery: trouble.hatchery })
  strikes[trouble.what](stage, company, trouble)
}

/** Somebody with rights on the vCenter does something to a VM of a hatchery: a worker, one that stands ready, or any. */
function meddle(
  { vcenter, trace }: Stage,
  { hatchery, number }: Trouble,
  isProvision: boolean | undefined,
  act: (id: string) => void,
): void {
  const isMeant = (mark: ReturnType<typeof markOf>) =>
    mark?.hatchery === hatchery && !mark.isModel && (isProvision === undefined || mark.isProvision === isProvision)
  // One that was never on does not stand ready yet: its hatchery has not seen whether its address is its own.
  const candidates = vcenter.vms().filter(vm => isMeant(markOf(vm)) && (isProvision !== true || vm.bootedAt !== undefined))
  const victim = candidates[number % Math.max(1, candidates.length)]
  if (victim === undefined) return
  trace.tell('trouble', `it is ${victim.name}`)
  act(victim.id)
}
