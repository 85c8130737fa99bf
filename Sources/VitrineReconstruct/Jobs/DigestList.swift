import Synchronization
import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The digests of the files of a job's inputs, so that each file is read as a whole only once in the job and not once in each task.
///
/// A digest counts as long as the file has the size that it had.
final class DigestList: Sendable {
    struct Entry: Hashable, Sendable {
        /// Relative to the job's folder.
        let path: String
        let size: Int
        let digest: Digest
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The entries that were not known before.
        var new: [Entry] = []
    }

    private let root: String
    private let state = Mutex(State())

    /// Creates a list for a job.
    ///
    /// - Parameter root: The job's folder.
    init(root: URL) { self.root = root.standardizedFileURL.path + "/" }

    func digest(of source: PixelSource) throws(FileError) -> Digest {
        guard case .file(let url) = source else { return try source.digest() }
        let whole = url.standardizedFileURL.path
        let path = whole.hasPrefix(root) ? String(whole.dropFirst(root.count)) : whole
        let size = FileStatus(path: whole)?.size ?? -1
        if let entry = state.withLock({ $0.entries[path] }), entry.size == size { return entry.digest }
        let entry = Entry(path: path, size: size, digest: try source.digest())
        state.withLock { state in
            state.entries[path] = entry
            state.new.append(entry)
        }
        return entry.digest
    }

    // MARK: Files

    private static func artifact(_ block: Int) -> Artifact<[Entry]> {
        var key = StageKey(stage: "digests", version: 1)
        key.add("block", block)
        return Artifact(name: "digests-\(block)", key: key.digest)
    }

    /// Adds the existing digests of the first `blocks` blocks.
    func load(blocks: Int, from store: CheckpointStore) {
        for block in 0..<blocks {
            guard let stored = store.load(Self.artifact(block)) else { continue }
            state.withLock { state in for entry in stored { state.entries[entry.path] = entry } }
        }
    }

    /// Saves the digests that were not known before, in the order of the paths.
    func save(block: Int, to store: CheckpointStore) throws(FileError) {
        let stored = store.load(Self.artifact(block)) ?? []
        let entries = Set(stored + state.withLock { $0.new }).sorted { ($0.path, $0.size) < ($1.path, $1.size) }
        if entries != stored { try store.save(entries, as: Self.artifact(block)) }
    }
}

extension DigestList.Entry: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(path)
        writer.write(size)
        writer.encode(digest)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(path: try reader.text(), size: try reader.int(), digest: try reader.decode())
    }
}
