import Foundation
import VitrineFiles

/// A folder of finished stages: small files, each with the key of what it was made from.
///
/// A file is believed when its magic, version, key and digest are right; anything else is as if it weren't there, and is written anew. Files
/// are written whole or not at all, so that a process may be killed at any moment.
struct CheckpointStore: Sendable {
    /// Raised when any stage's result changes for the same input: checkpoints of earlier versions are not believed.
    static let version = 5

    let folder: URL
    /// Whether the folder goes when the work is done.
    let isTemporary: Bool

    /// - Throws: `FileError` when the folder can't be made or written.
    init(folder: URL?) throws {
        let manager = FileManager.default
        if let folder {
            (self.folder, isTemporary) = (folder, false)
        } else {
            self.folder = manager.temporaryDirectory.appendingPathComponent("vitrine-\(UUID().uuidString)")
            isTemporary = true
        }
        do {
            try manager.createDirectory(at: self.folder, withIntermediateDirectories: true)
        } catch {
            throw FileError(path: self.folder.path, reason: "the checkpoint's folder can't be made")
        }
        guard manager.isWritableFile(atPath: self.folder.path) else {
            throw FileError(path: self.folder.path, reason: "the checkpoint's folder can't be written")
        }
        if !isTemporary { removeUnfinished() }
    }

    /// What a killed process left half written.
    private func removeUnfinished() {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(".vitrine-") && name.hasSuffix(".tmp") {
            try? manager.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    func removeIfTemporary() { if isTemporary { try? FileManager.default.removeItem(at: folder) } }

    private static let magic: [UInt8] = Array("VITRINE\u{1}".utf8)
    private static let headerLength = 8 + 8 + 16 + 16 + 8

    /// The stage's result if it was made from the same: by `key`.
    func load<Value: CheckpointValue>(_ name: String, key: Digest, as: Value.Type = Value.self) -> Value? {
        guard let payload = payload(name, key: key) else { return nil }
        var reader = ByteReader(payload)
        guard let value = try? Value.read(from: &reader), reader.left == 0 else { return nil }
        return value
    }

    func save(_ value: some CheckpointValue, as name: String, key: Digest) throws(FileError) {
        var writer = ByteWriter()
        value.write(to: &writer)
        try save(payload: writer.bytes, as: name, key: key)
    }

    func payload(_ name: String, key: Digest) -> [UInt8]? {
        guard let bytes = try? FileBytes.read(url(name)), bytes.count >= CheckpointStore.headerLength else { return nil }
        guard bytes.starts(with: CheckpointStore.magic) else { return nil }
        var reader = ByteReader(bytes, from: CheckpointStore.magic.count)
        guard let version = try? reader.int(), version == CheckpointStore.version, let storedKey = try? reader.digest(), storedKey == key,
            let digest = try? reader.digest(), let length = try? reader.int(), length == reader.left
        else { return nil }
        let payload = Array(bytes[CheckpointStore.headerLength...])
        return Digest(of: payload) == digest ? payload : nil
    }

    func save(payload: [UInt8], as name: String, key: Digest) throws(FileError) {
        var header = ByteWriter()
        header.write(CheckpointStore.version)
        header.write(key)
        header.write(Digest(of: payload))
        header.write(payload.count)
        try AtomicFile.write(CheckpointStore.magic + header.bytes + payload, to: url(name))
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url(name).path) }
    func remove(_ name: String) { try? FileManager.default.removeItem(at: url(name)) }
    private func url(_ name: String) -> URL { folder.appendingPathComponent(name + ".bin") }

    /// Bytes that may still be written where the checkpoint lies; nil where the system doesn't tell.
    var freeBytes: Int64? { CheckpointStore.freeBytes(at: folder) }

    static func freeBytes(at url: URL) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: url.path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}

extension ByteWriter {
    mutating func write(_ digest: Digest) {
        write(digest.high)
        write(digest.low)
    }
}

extension ByteReader {
    mutating func digest() throws(DamagedCheckpoint) -> Digest {
        let high = try word()
        return Digest(high: high, low: try word())
    }
}
