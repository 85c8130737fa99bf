import VitrineFiles
import VitrineMath
import VitrineVision

/// The scan passes of the photos: the output of `PassStage`.
struct PhotoPasses: Equatable, Sendable {
    /// The pass of each photo, 0, 1 …; −1 for photos of none. Empty if one rigid scene explains the photos.
    let passOfPhoto: [Int]

    var count: Int { (passOfPhoto.max() ?? 0) + 1 }
    var isSeveral: Bool { !passOfPhoto.isEmpty }

    func photos(of pass: Int) -> [Int] { passOfPhoto.indices.filter { passOfPhoto[$0] == pass } }
}

/// Finds passes between which the object was moved or turned over, in the map of all photos.
enum PassStage: Stage {
    struct Input: Sendable {
        let model: Artifact<SparseModel>
        let placement: Artifact<Placement>
        /// The pass that the metadata or the folder of each photo names.
        let names: [String?]
    }

    typealias Output = PhotoPasses

    static let name = "passes"
    static let version = 1

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("model", input.model)
        key.add("placement", input.placement)
        key.add("names", input.names)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> PhotoPasses {
        let model = try resources.load(input.model)
        let finder = PassFinder(model: model, object: try resources.load(input.placement).object, names: input.names)
        return PhotoPasses(passOfPhoto: finder.find() ?? [])
    }
}

extension PassStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(model)
        writer.encode(placement)
        writer.encode(names)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(model: try reader.decode(), placement: try reader.decode(), names: try reader.decode())
    }
}

extension PhotoPasses: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(passOfPhoto) }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PhotoPasses {
        PhotoPasses(passOfPhoto: try reader.array(of: Int.self))
    }
}
