import VitrineFiles
import VitrineVision

/// Divides the photos of a large scene into submaps.
enum SubmapStage: Stage {
    struct Input: Sendable {
        let matches: Artifact<StoredPairs>
        /// The number of photos.
        let count: Int
        /// The approximate number of photos in a submap.
        let size: Int
    }

    /// The photos of each submap in ascending order; no photo is in two.
    typealias Output = [[Int]]

    static let name = "submaps"
    static let version = 1

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("matches", input.matches)
        key.add("count", input.count)
        key.add("size", input.size)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> [[Int]] {
        let pairs = try resources.load(input.matches).pairs
        return Submaps.divided(MatchGraph(photoCount: input.count, pairs: pairs), size: input.size)
    }

    /// The number of submaps at most; 0 if the photos are not divided.
    ///
    /// - Parameter size: `Configuration.submapPhotoCount`.
    static func largestCount(photos: Int, size: Int?) -> Int {
        guard let size, photos > 2 * size else { return 0 }
        return (photos + size - 1) / size
    }
}

extension SubmapStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(matches)
        writer.write(count)
        writer.write(size)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(matches: try reader.decode(), count: try reader.int(), size: try reader.int())
        guard input.count >= 0, input.count <= PhotoLimits.photos, input.size > 0 else { throw DamagedCheckpoint() }
        return input
    }
}
