import VitrineImageFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The free space of disks.
package enum DiskSpace {
    /// Free bytes on the disk of a folder; nil if the system does not report them.
    package static func freeBytes(at url: URL) -> Int64? {
        var status = statvfs()
        guard SystemPath.with(url.path, { statvfs($0, &status) }) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
