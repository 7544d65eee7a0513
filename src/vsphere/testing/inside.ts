/** What tests and benchmarks use of the client's inside, to look at a vCenter without the platform in between. */
export { containerView } from '../places.ts'
export { Session } from '../soap/session.ts'
export { SoapClient } from '../soap/soap-client.ts'
export { refOf, retrieve } from '../vim/property-collector.ts'
export { changedRecord, emptyRecord, vmPaths } from '../watch/vm-record.ts'
export { child, children, childText } from '../xml/element.ts'
export type { XmlElement } from '../xml/element.ts'
export { readXml } from '../xml/reader.ts'
