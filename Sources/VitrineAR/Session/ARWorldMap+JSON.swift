import VitrineImageFiles
import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ARWorldMap {
    /// Limits of a file.
    private static let (byteLimit, pointLimit, anchorLimit, cornerLimit) = (64 << 20, 1_000_000, 100_000, 10_000)
    private static let version = 2

    /// Reads a map written by `write(to:)`.
    ///
    /// - Throws: `ARError` with `.invalidWorldMap` that names the file and the position: an unreadable file, another format or version, or
    ///   invalid numbers.
    public init(contentsOf url: URL) throws(ARError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(url, limit: Self.byteLimit)
        } catch {
            throw ARError(.invalidWorldMap, "\(error)")
        }
        try self.init(json: bytes, name: url.lastPathComponent)
    }

    /// Parses a map.
    ///
    /// - Parameter name: The name of the text in errors.
    public init(json bytes: [UInt8], name: String = "world map") throws(ARError) {
        func invalid(_ reason: String) -> ARError { ARError(.invalidWorldMap, "\(name): \(reason)") }
        guard bytes.count <= Self.byteLimit else { throw invalid("is larger than 64 MiB") }
        let stored: StoredMap
        do {
            stored = try JSONDecoder().decode(StoredMap.self, from: Data(bytes))
        } catch {
            throw invalid(Self.reason(error))
        }
        guard stored.format == StoredMap.format else { throw invalid("is not a world map") }
        guard (1...Self.version).contains(stored.version) else {
            throw invalid("has version \(stored.version), this reads up to version \(Self.version)")
        }
        guard stored.anchors.count <= Self.anchorLimit else { throw invalid("has over \(Self.anchorLimit) anchors") }
        var anchors: [ARAnchor] = []
        var identifiers = Set<UUID>()
        for (index, anchor) in stored.anchors.enumerated() {
            guard identifiers.insert(anchor.identifier).inserted else {
                throw invalid("anchors[\(index)]: has the identifier of one before it")
            }
            guard anchor.plane?.boundary.count ?? 0 <= 2 * Self.cornerLimit else {
                throw invalid("anchors[\(index)]: has over \(Self.cornerLimit) corners")
            }
            do throws(ARError) {
                anchors.append(try anchor.anchor())
            } catch {
                throw invalid("anchors[\(index)]: \(error)")
            }
        }
        guard stored.points.count <= 3 * Self.pointLimit else { throw invalid("has over \(Self.pointLimit) points") }
        guard stored.points.count == 3 * stored.identifiers.count else { throw invalid("points: not three numbers for each identifier") }
        let points = try Self.triples(stored.points, invalid)
        self.init(anchors: anchors, rawFeaturePoints: ARPointCloud(points: points, identifiers: stored.identifiers))
        do throws(ARError) {
            (landmarkMap, sessionFromLandmarkMap) = try stored.storedLandmarkMap()
        } catch {
            throw invalid(error.message)
        }
    }

    private static func triples(_ numbers: [Float], _ invalid: (String) -> ARError) throws(ARError) -> [Vector3] {
        var result: [Vector3] = []
        result.reserveCapacity(numbers.count / 3)
        for start in stride(from: 0, to: numbers.count, by: 3) {
            let point = Vector3(numbers[start], numbers[start + 1], numbers[start + 2])
            guard point.isFinite else { throw invalid("points[\(start)]: not finite") }
            result.append(point)
        }
        return result
    }

    private static func reason(_ error: any Error) -> String {
        func location(_ context: DecodingError.Context) -> String {
            context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined().drop { $0 == "." } + ": "
        }
        return switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            location(context) + "a value of another kind"
        case DecodingError.keyNotFound(let key, let context): location(context) + "\"\(key.stringValue)\" is missing"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty: location(context) + "a value that is not possible"
        default: "is not JSON, or has a number out of range"
        }
    }

    /// Formats the map as JSON; the same map gives the same bytes.
    public func json() throws(ARError) -> [UInt8] {
        var stored = StoredMap(
            format: StoredMap.format, version: Self.version, anchors: anchors.map(StoredAnchor.init),
            identifiers: rawFeaturePoints.identifiers, points: rawFeaturePoints.points.flatMap { [$0.x, $0.y, $0.z] })
        stored.store(landmarkMap, sessionFromLandmarkMap)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        do {
            return [UInt8](try encoder.encode(stored))
        } catch {
            throw ARError(.invalidWorldMap, "a number of the map is not finite")
        }
    }

    /// Writes the map atomically.
    public func write(to url: URL) throws(ARError) {
        let bytes = try json()
        do throws(FileError) {
            try AtomicFile.write(bytes, to: url)
        } catch {
            throw ARError(.requestFailed, "\(error)")
        }
    }
}
