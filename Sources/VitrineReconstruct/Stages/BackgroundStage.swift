import VitrineFiles
import VitrineVision

/// Learns the background that all photos share, or the sky over them, from their thumbnails.
enum BackgroundStage: Stage {
    struct Input: Sendable {
        /// JPEG files, one per photo.
        let thumbnails: [[UInt8]]
        /// The sky that each photo may show.
        let skies: [Sky?]
    }

    /// nil if the background cannot be segmented before the alignment.
    typealias Output = BackgroundModel?

    static let name = "background"
    static let version = 5

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("thumbnails", input.thumbnails.map { Digest(of: $0) })
        key.add("skies", input.skies)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> BackgroundModel? {
        let images = input.thumbnails.compactMap { bytes in
            (try? ImageFile.decode(bytes, name: "thumbnail")).flatMap { ColorPlane($0) }
        }
        return images.count == input.thumbnails.count ? BackgroundModel.learn(from: images, skies: input.skies) : nil
    }
}

extension BackgroundStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.writeList(thumbnails) { $0.write($1) }
        writer.encode(skies)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            thumbnails: try reader.list { (reader) throws(DamagedCheckpoint) in try reader.array(of: UInt8.self) },
            skies: try reader.decode())
    }
}
