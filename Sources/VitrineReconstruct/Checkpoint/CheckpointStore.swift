import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A stage's output in a checkpoint folder: the name of its file and the key of its inputs.
struct Artifact<Value: ByteCodable>: Hashable, Sendable, ByteCodable {
    /// The file's name without extension.
    let name: String
    let key: Digest

    func write(to writer: inout ByteWriter) {
        writer.write(name)
        writer.encode(key)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Artifact {
        let name = try reader.text()
        // The name becomes a path: no folders.
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else { throw DamagedCheckpoint() }
        return Artifact(name: name, key: try reader.decode())
    }
}

/// A folder with the outputs of stages: one file each, with the key of its inputs.
///
/// A file counts only if its magic, version, key and digest are right; any other file is treated as missing and is written again. Files are
/// written whole or not at all, so that a process may be killed at any moment.
struct CheckpointStore: Sendable {
    /// Raised when the format of the files changes: files of earlier versions are treated as missing.
    static let version = 7

    let folder: URL
    /// Whether the folder is removed when the work is done.
    let isTemporary: Bool

    /// Opens a checkpoint folder.
    ///
    /// - Parameters:
    ///   - folder: nil: a temporary folder.
    ///   - isShared: Whether other processes may write into the folder at the same time.
    /// - Throws: `FileError` if the folder cannot be created or written.
    init(folder: URL?, isShared: Bool = false) throws {
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
            throw FileError(path: self.folder.path, reason: "the checkpoint folder cannot be created")
        }
        guard manager.isWritableFile(atPath: self.folder.path) else {
            throw FileError(path: self.folder.path, reason: "the checkpoint folder cannot be written")
        }
        if !isTemporary, !isShared { removeUnfinished() }
    }

    /// Removes incomplete files of a killed process.
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

    /// The output, if the folder has it; nil for a file that is missing, damaged, of another version or made from other inputs.
    func load<Value: ByteCodable>(_ artifact: Artifact<Value>) -> Value? {
        bytes(artifact.name, key: artifact.key).flatMap { try? Value(decoding: $0, from: CheckpointStore.headerLength) }
    }

    /// Whether the store has an undamaged file of an output.
    func contains<Value>(_ artifact: Artifact<Value>) -> Bool { bytes(artifact.name, key: artifact.key) != nil }

    /// The bytes of the largest outputs, points of thousands of megapixels, take a quarter of the memory: they are not copied.
    func save<Value: ByteCodable>(_ value: Value, as artifact: Artifact<Value>) throws(FileError) {
        var writer = ByteWriter(capacity: CheckpointStore.headerLength + value.largeByteCount)
        writer.append(CheckpointStore.magic)
        writer.write(CheckpointStore.version)
        writer.encode(artifact.key)
        let digestOffset = CheckpointStore.headerLength - 24
        writer.encode(Digest.zero)
        writer.write(Int(0))
        value.write(to: &writer)
        let (digest, count) = (Digest(of: writer.bytes, from: CheckpointStore.headerLength), writer.bytes.count)
        writer.overwrite(at: digestOffset, with: digest.high)
        writer.overwrite(at: digestOffset + 8, with: digest.low)
        writer.overwrite(at: digestOffset + 16, with: UInt64(count - CheckpointStore.headerLength))
        try AtomicFile.write(writer.bytes, to: url(artifact.name))
    }

    func remove<Value>(_ artifact: Artifact<Value>) { try? FileManager.default.removeItem(at: url(artifact.name)) }

    /// The bytes of a file with its header, if they are right.
    private func bytes(_ name: String, key: Digest) -> [UInt8]? {
        guard let bytes = try? FileBytes.read(url(name), limit: ProcessMemory.machine), bytes.count >= CheckpointStore.headerLength else {
            return nil
        }
        guard bytes.starts(with: CheckpointStore.magic) else { return nil }
        var reader = ByteReader(bytes, from: CheckpointStore.magic.count)
        guard let version = try? reader.int(), version == CheckpointStore.version, let storedKey = try? reader.decode(Digest.self),
            storedKey == key, let digest = try? reader.decode(Digest.self), let length = try? reader.int(), length == reader.left
        else { return nil }
        return Digest(of: bytes, from: CheckpointStore.headerLength) == digest ? bytes : nil
    }

    private func url(_ name: String) -> URL { folder.appendingPathComponent(name + ".bin") }

    /// Free bytes on the checkpoint's disk; nil if the system does not report them.
    var freeBytes: Int64? { DiskSpace.freeBytes(at: folder) }
}

extension DamagedCheckpoint: LocalizedError {
    var errorDescription: String? { description }
}
