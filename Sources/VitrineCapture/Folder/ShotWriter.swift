import VitrineAR
import VitrineFiles
import VitrineMath
import VitrineReconstruct
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes shots to a capture's folder, each at once and atomically.
struct ShotWriter: Sendable {
    /// The identifiers of a shot.
    struct Context: Sendable {
        var pass: UUID
        var objectPose: UUID
        /// The box in the session's world; nil in area mode.
        var box: OrientedBox?
        var sharpness: Double
        var isManual: Bool
    }

    /// Bytes that must stay free on the disk: a shot of the largest image with its depth.
    static let reservedBytes: Int64 = 64 << 20
    private static let quality = 95

    let folder: URL
    let session: UUID
    let world: TrackedWorld
    private(set) var nextNumber: Int

    init(_ folder: CaptureFolder, session: UUID, world: TrackedWorld) {
        (self.folder, nextNumber, self.session, self.world) = (folder.url, folder.nextNumber, session, world)
    }

    /// Writes depth, companion and image of a frame, in this order.
    ///
    /// - Throws: An error that ends the session. Files of the shot may remain; `CaptureFolder` removes them.
    mutating func write(_ frame: ARFrame, _ context: Context) throws(ObjectCaptureSession.Error) -> ObjectCaptureSession.Shot {
        if let free = DiskSpace.freeBytes(at: folder), free < Self.reservedBytes {
            throw .insufficientStorage(requiredBytes: Self.reservedBytes)
        }
        let number = nextNumber
        func url(_ part: ShotName.Part) -> URL { folder.appendingPathComponent(ShotName(number, part).text) }
        do {
            var depthURL: URL?
            if let depth = frame.sceneDepth, let bytes = try Self.encode(depth) {
                try AtomicFile.write(bytes, to: url(.depth))
                depthURL = url(.depth)
            }
            let record = record(of: frame, name: ShotName(number, .image).text, context)
            try AtomicFile.write(try record.json(), to: url(.record))
            let image = try ImageFile.encode(try frame.capturedImage.makeImage(), as: .jpeg(quality: Self.quality))
            try AtomicFile.write(image, to: url(.image))
            nextNumber += 1
            return try ObjectCaptureSession.Shot(record, number: number, image: url(.image), depth: depthURL)
        } catch {
            throw failure(error)
        }
    }

    private func record(of frame: ARFrame, name: String, _ context: Context) -> ShotRecord {
        let down = frame.camera.transform.linear.transpose * Vector3(0, -1, 0)
        return ShotRecord(
            camera: PosesFile.Camera(name: name, camera: frame.camera.posed), unit: world.isMetric ? "metre" : "arbitrary",
            gravity: world.hasGravity ? [Double(down.x), Double(down.y), Double(down.z)] : nil, time: frame.timestamp,
            exposureDuration: frame.camera.exposureDuration, sharpness: context.sharpness, session: session, pass: context.pass,
            objectPose: context.objectPose, box: context.box.map { ShotRecord.Box($0) }, isManual: context.isManual)
    }

    /// A 16-bit PNG in millimetres; low confidence, unknown and very far depth is 0. nil if no pixel is left.
    private static func encode(_ depth: DepthImage) throws -> [UInt8]? {
        var values = depth.metres.values.map { metres -> UInt16 in
            let millimetres = metres * 1000
            return millimetres >= 1 && millimetres < 65_000 ? UInt16(millimetres + 0.5) : 0
        }
        if let confidence = depth.confidence, confidence.values.count == values.count {
            for index in values.indices where confidence.values[index] == 0 { values[index] = 0 }
        }
        guard values.contains(where: { $0 > 0 }) else { return nil }
        return try ImageFile.encodeGray16(values, width: depth.metres.width, height: depth.metres.height)
    }

    private func failure(_ error: any Error) -> ObjectCaptureSession.Error {
        if !FileManager.default.fileExists(atPath: folder.path) {
            return .directoryUnavailable(folder, reason: "the folder was removed; the shots up to now were in it")
        }
        if let free = DiskSpace.freeBytes(at: folder), free < Self.reservedBytes {
            return .insufficientStorage(requiredBytes: Self.reservedBytes)
        }
        return .directoryUnavailable(folder, reason: (error as? FileError)?.reason ?? "\(error)")
    }
}
