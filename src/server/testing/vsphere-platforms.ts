export { VspherePlatforms } from '../vsphere/vsphere-platforms.ts'
