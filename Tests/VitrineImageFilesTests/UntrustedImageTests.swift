import Testing
import VitrineImageFiles
import VitrineScene

@testable import VitrineTestFiles

/// Decoding any bytes gives an image or an error.
@Suite struct UntrustedImageTests {
    @Test func everyKindIsDetectedByContent() throws {
        let kinds: [String: ImageFile.Kind] = [
            "png": .png, "jpeg": .jpeg, "webp": .webp, "hdr": .hdr, "exr": .exr, "heif": .heif, "ktx2": .ktx2, "tga": .tga,
        ]
        for (name, bytes) in try TinyFiles.all() {
            let kind = kinds.first { name.contains($0.key) }?.value
            #expect(ImageFile.kind(of: bytes) == kind, "\(name)")
            let header = try ImageFile.header(of: bytes, name: name)
            let image = try ImageFile.decode(bytes, name: name)
            #expect(header.kind == kind)
            #expect((header.width, header.height, header.format) == (image.width, image.height, image.format), "\(name)")
        }
    }

    @Test func aFileCutAnywhereIsAnError() throws {
        for (name, bytes) in try TinyFiles.all() {
            for count in 0..<bytes.count {
                #expect(throws: ImageFileError.self, "\(name) cut to \(count) of \(bytes.count) bytes") {
                    try ImageFile.decode(Array(bytes[..<count]), name: name)
                }
            }
        }
    }

    @Test func anyByteMayBeWrong() throws {
        let limits = ImageLimits(maximumSide: 4096, maximumBytes: 1 << 24)
        for (name, bytes) in try TinyFiles.all() {
            for index in bytes.indices {
                for flip in name.hasPrefix("exr") ? [0xFF] : [0x01, 0x80, 0xFF] as [UInt8] {
                    var damaged = bytes
                    damaged[index] ^= flip
                    guard let image = try? ImageFile.decode(damaged, name: name, limits: limits) else { continue }
                    #expect(image.bytes.count == image.width * image.height * image.format.bytesPerPixel)
                }
            }
        }
    }

    @Test func noiseIsRefused() {
        #expect { try ImageFile.decode([]) } throws: { ($0 as? ImageFileError)?.reason == .truncated("the file is empty") }
        #expect { try ImageFile.decode([1, 2, 3]) } throws: { ($0 as? ImageFileError)?.reason == .unrecognized }
        #expect { try ImageFile.decode(Array("RIFFxxxxWAVEfmt ".utf8)) } throws: { ($0 as? ImageFileError)?.reason == .unrecognized }
    }

    @Test func errorsNameFileAndLocation() throws {
        let image = try TestImage.noise(width: 30, height: 30, format: .rgba8, opaque: true)
        let file = try ImageFile.encode(image, as: .png())
        #expect {
            try ImageFile.decode(Array(file[..<1000]), name: "cut.png")
        } throws: { error in
            let error = error as? ImageFileError
            return error?.file == "cut.png" && error?.offset != nil && error?.row != nil
                && error?.description.hasPrefix("cut.png:byte ") == true
        }
    }
}
