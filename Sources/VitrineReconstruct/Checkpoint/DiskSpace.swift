import Foundation

/// The free space of disks.
package enum DiskSpace {
    /// Free bytes on the disk of a folder; nil if the system doesn't report them.
    package static func freeBytes(at url: URL) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: url.path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
