import VitrineAR
import VitrineFiles
import VitrineReconstruct
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The shots of a capture on the disk: an input of `PhotogrammetrySession`.
///
/// | file | content |
/// | --- | --- |
/// | `shot-0001.jpg` | the image |
/// | `shot-0001.json` | camera, gravity, time, pass and box: see the design page |
/// | `shot-0001_depth.png` | depth in millimetres, 16 bits; only with a depth sensor |
///
/// Each file is written atomically, and the image last: a shot with an image is complete. A capture that was interrupted at any moment can be
/// opened again.
public struct CaptureFolder: Sendable {
    /// The location of the capture folder.
    public let url: URL
    /// The complete shots, by number.
    public let shots: [ObjectCaptureSession.Shot]
    /// The names of files of interrupted writes, which were removed.
    public let removedFiles: [String]
    /// Images whose companion is missing or damaged: one line each. They are kept.
    public let problems: [String]

    /// The number that the next shot gets.
    let nextNumber: Int

    /// Opens the folder of a capture and removes what an interrupted write has left.
    ///
    /// - Throws: `ObjectCaptureSession.Error.directoryUnavailable`.
    public init(opening url: URL) throws(ObjectCaptureSession.Error) {
        let names = try Self.names(in: url)
        var (shots, removed, problems): ([ObjectCaptureSession.Shot], [String], [String]) = ([], [], [])
        let images = Set(names.compactMap { ShotName($0) }.filter { $0.part == .image }.map(\.number))
        var last = 0
        for name in names {
            let isTemporary = name.hasPrefix(".vitrine-") && name.hasSuffix(".tmp")
            let shot = ShotName(name)
            if isTemporary || shot.map({ $0.part != .image && !images.contains($0.number) }) ?? false {
                try? FileManager.default.removeItem(at: url.appendingPathComponent(name))
                removed.append(name)
            }
        }
        for number in images.sorted() {
            last = max(last, number)
            do throws(CameraFileError) {
                let record = try ShotRecord.read(url.appendingPathComponent(ShotName(number, .record).text))
                let depth = url.appendingPathComponent(ShotName(number, .depth).text)
                let hasDepth = FileManager.default.fileExists(atPath: depth.path)
                let image = url.appendingPathComponent(ShotName(number, .image).text)
                shots.append(try ObjectCaptureSession.Shot(record, number: number, image: image, depth: hasDepth ? depth : nil))
            } catch {
                problems.append("\(error)")
            }
        }
        (self.url, self.shots, removedFiles, self.problems, nextNumber) = (url, shots, removed, problems, last + 1)
    }

    /// Checks the folder of a new capture.
    init(creating url: URL) throws(ObjectCaptureSession.Error) {
        guard try Self.names(in: url).isEmpty else { throw .directoryNotEmpty(url) }
        (self.url, shots, removedFiles, problems, nextNumber) = (url, [], [], [], 1)
    }

    private static func names(in url: URL) throws(ObjectCaptureSession.Error) -> [String] {
        guard let status = FileStatus(path: url.path) else {
            throw .directoryUnavailable(url, reason: "no such folder: create it before the capture starts")
        }
        guard status.kind == .folder else { throw .directoryUnavailable(url, reason: "is not a folder") }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else {
            throw .directoryUnavailable(url, reason: "cannot be read")
        }
        return names.sorted()
    }
}

/// The file name of a part of a shot: `shot-0012_depth.png`.
struct ShotName: Equatable {
    enum Part: String, CaseIterable {
        case image = ".jpg"
        case record = ".json"
        case depth = "_depth.png"
    }

    let number: Int
    let part: Part

    init(_ number: Int, _ part: Part) { (self.number, self.part) = (number, part) }

    /// nil for the names of other files.
    init?(_ text: String) {
        guard text.hasPrefix("shot-"), let part = Part.allCases.first(where: { text.hasSuffix($0.rawValue) }) else { return nil }
        let digits = text.dropFirst(5).dropLast(part.rawValue.count)
        guard digits.count <= 9, let number = Int(digits), number > 0 else { return nil }
        self.init(number, part)
        guard self.text == text else { return nil }
    }

    var text: String {
        let digits = "\(number)"
        return "shot-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + part.rawValue
    }
}

extension ObjectCaptureSession.Shot {
    init(_ record: ShotRecord, number: Int, image: URL, depth: URL?) throws(CameraFileError) {
        let posed = try record.posedCamera(file: image.path)
        self.init(
            id: number, url: image, depthURL: depth, passID: record.pass, objectPoseID: record.objectPose, timestamp: record.time,
            camera: ARCamera(
                transform: Matrix4(viewing: posed.cameraFromWorld.inverse), model: posed.intrinsics,
                exposureDuration: record.exposureDuration),
            boundingBox: record.orientedBox.map { OrientedBoundingBox($0) }, sharpness: record.sharpness, isManual: record.isManual)
    }
}
