import { failure } from '../ports/index.ts'

/** vCenter refused a call. `fault` is the type it gave, as in its own documentation: `InvalidPowerState`, `DuplicateName`. */
export const VimFault = failure('VSPHERE_FAULT', ({ call, fault, message }: VimFaultDetails) => ({
  message: `vCenter refused ${call}: ${fault}${message === '' ? '' : ` (${message})`}`,
}))

interface VimFaultDetails {
  readonly call: string
  readonly fault: string
  readonly message: string
  /** What the fault names, where it does: an object, a privilege, a property. */
  readonly about?: string | undefined
}

/** What came back is not XML, not SOAP, or not what the call answers with. Whether the call had an effect is not known. */
export const AnswerNotUnderstood = failure('VSPHERE_ANSWER_NOT_UNDERSTOOD', ({ call, why }: { call: string; why: string }) => ({
  message: `the answer to ${call} makes no sense: ${why}`,
  fix: 'check that the URL is that of a vCenter and that nothing between changes its answers',
}))

/** XML that is broken, or that no vCenter writes. */
export const XmlNotValid = failure('VSPHERE_XML_NOT_VALID', ({ why, at }: { why: string; at: number }) => ({
  message: `not valid XML at byte ${at}: ${why}`,
}))

/** A text that XML cannot carry. */
export const TextNotSendable = failure('VSPHERE_TEXT_NOT_SENDABLE', ({ field }: { field: string }) => ({
  message: `${field} holds a control character, which XML cannot carry`,
  fix: `remove the control character from ${field}`,
}))

/** A setting of the vCenter connection that cannot work. */
export const SettingNotValid = failure(
  'VSPHERE_SETTING_NOT_VALID',
  ({ field, rule, fix }: { field: string; rule: string; fix: string }) => ({
    message: `${field}: ${rule}`,
    fix,
  }),
)
