import Foundation
import VitrineImageFiles

/// Images of a few pixels, made for these tests, of kinds that are not written here.
enum TinyFiles {
    /// 8 × 8, the left half grey 200, the right half 50.
    static let greyJPEG = bytes(
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAAIAAgBAR"
            + "EA/8QAFAABAAAAAAAAAAAAAAAAAAAABf/EABgQAAIDAAAAAAAAAAAAAAAAAAAKSIjH/9oACAEBAAA/AB2IIgWAxM//2Q==")
    /// 8 × 8, RGB without conversion: the left half 200, 100, 50, the right half 20, 40, 240.
    static let rgbJPEG = bytes(
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB/8AAEQgACAAIA1IRAE"
            + "cRAEIRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAgJ/8QAHBAAAQQDAQAAAAAAAAAAAAAAAApIiMgIR4bG/9oADANSAEcAQgAAPwA3qjWNSZr6Qvza1n2flBEJTn5RdsSf/9k="
    )
    /// 8 × 8, progressive: the colours of `rgbJPEG`.
    static let progressiveJPEG = bytes(
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQ"
            + "EBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wgARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAA"
            + "AAAAj/xAAVAQEBAAAAAAAAAAAAAAAAAAAFCf/aAAwDAQACEAMQAAABmkULH//EABUQAQEAAAAAAAAAAAAAAAAAAAAG/9oACAEBAAEFArx//8QAGhEAAAcAAAAAAAAAAAAAAA"
            + "AAAAUGBzeFtf/aAAgBAwEBPwF5pKUlPglY/8QAGhEAAAcAAAAAAAAAAAAAAAAAAAYHCDiGtv/aAAgBAgEBPwFoseU+te3Mo//EABcQAAMBAAAAAAAAAAAAAAAAAAAFhMT/2g"
            + "AIAQEABj8CVXYz/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPyFH/9oADAMBAAIAAwAAABAD/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPxBH/8QAFBEBAA"
            + "AAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPxAd/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxB3/9k=")
    /// 8 × 8, Adobe's inverted inks: 255, 128, 0, 200 at the left, 40, 255, 255, 255 at the right.
    static let cmykJPEG = bytes(
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB/8AAFAgACAAIBEMRAE"
            + "0RAFkRAEsRAP/EABcAAAMBAAAAAAAAAAAAAAAAAAMICQr/xAAgEAABAgUFAAAAAAAAAAAAAAAACkkICUeIyEiGh8bH/9oADgRDAE0AWQBLAAA/AGcWFt23b4yF/JGeqLhP1wGh"
            + "jdFsmy4NjkHFRtodoP/Z")
    /// The inks of `cmykJPEG`, stored as YCCK.
    static let ycckJPEG = bytes(
        "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB/9sAQwEBAQEBAQEBAQ"
            + "EBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB/8AAFAgACAAIBAEiAAIRAQMRAQQiAP/EABYAAQEBAAAAAAAAAAAAAAAA"
            + "AAAJCv/EABoQAQACAwEAAAAAAAAAAAAAAAAIhkZHxcb/xAAVAQEBAAAAAAAAAAAAAAAAAAAGCf/EAB0RAAAFBQAAAAAAAAAAAAAAAAAGBwmHCDg5t7j/2gAOBAEAAhEDEQQA"
            + "AD8Ak/JHDLFwgBFza+BbY21EQRe5i/FhS5NvRauDY5DjY1Q9QA//2Q==")
    /// 4 × 4: pixel i has red 16·i, green 255 - 8·i, blue 100, alpha 255 for the upper half and 128 for the lower.
    static let losslessWebP = bytes(
        "UklGRj4AAABXRUJQVlA4TDEAAAAvA8AAEH+gpm0Dhj/jfJ0gBmLIBARF1y2XcvIUeRAEQCxo0aJFixYtWnRE9D9AOd0BAA==")
    /// The same, lossy.
    static let lossyWebP = bytes(
        "UklGRoQAAABXRUJQVlA4WAoAAAAQAAAAAwAAAwAAQUxQSA0AAAABD/DA/4iIMA8R/Q8GAFZQOCBQAAAA8AEAnQEqBAAEAAAAACWoAnS6AfQABGgAAP7+OeGCpc//cvnl03qiX/uo"
            + "p3/f+vx/5+A+//yu/98FnM/+vx/585M/3wXuMOgx9//k3/9OcAA=")

    /// HEIC, stored as 32 × 16 with the left half red (200, 30, 30) and the right half blue (30, 30, 200), to be turned 90° clockwise; its EXIF data
    /// state this, and 4.25 mm, 26 mm on 35 mm film, "Vitrine", "Test".
    static let turnedHEIC = bytes(
        "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAe5tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAACAAEA"
            + "AAAExpbG9jAQAAAERAAAMAAQAAAAAAAAISAAEAAAAAAAAAugACAAEAAAAAAAAAAQAAAAAAAAAIAAMAAAAAAAACzAABAAAAAAAAAHYAAABNaWluZgAAAAAAAwAAABVpbmZlAgAAAQAB"
            + "AABodmMxAAAAABVpbmZlAgAAAAACAABncmlkAAAAABVpbmZlAgAAAQADAABFeGlmAAAAAOJpcHJwAAAAv2lwY28AAAB2aHZjQwEDcAAAAAAAAAAAAB7wAPz9+PgAAA8DIAABABhAAQ"
            + "wB//8DcAAAAwCQAAADAAADAB66AkAhAAEAKkIBAQNwAAADAJAAAAMAAAMAHqAggQWW6q6a5uBAQMCAAAADAIAAAAMAhCIAAQAGRAHBc8GJAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAJ"
            + "aXJvdAMAAAAUaXNwZQAAAAAAAAAQAAAAIAAAABBwaXhpAAAAAAMICAgAAAAbaXBtYQAAAAAAAAACAAECgQIAAgMDBIUAAAAoaXJlZgAAAAAAAAAOZGltZwACAAEAAQAAAA5jZHNjAA"
            + "MAAQACAAABOG1kYXQAAAC2KAGvCchnsro5I1d//9i2f/8w/6H8Dt4rf/g4Q+/hVD//szT+U6/07tpE6JbILbD0Opm8R2/qnAkhkmB9aq4SVZqDPmJQmjA0Re++/CfAfJRaxYEo/cxd"
            + "796Awz+S6yUntLwcehUls/S0g85OegAdyhzbapm15WG9tFaG7JlbY6f30rkai5yA5qCicRGjthRBDqLoCC+OvnU22hL0NS0PENIFBr28ZJaRXag7j+AGWLcn+2Suc58AAAAATU0AKg"
            + "AAAAgABAEPAAIAAAAIAAAAPgEQAAIAAAAFAAAARgESAAMAAAABAAYAAIdpAAQAAAABAAAATAAAAABWaXRyaW5lAFRlc3QAAAACkgoADAAAAAEAAABqpAUAAwAAAAEAGgAAAAAAAEAR"
            + "AAAAAAAA")
    /// The same without turn and EXIF, 10 bits a channel.
    static let deepHEIC = bytes(
        "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAaxtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAACAAEA"
            + "AAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHQAAEAAAAAAAAAZAACAAEAAAAAAAAAAQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAA"
            + "AgAAZ3JpZAAAAADXaXBycAAAALVpcGNvAAAAdWh2Y0MBBAgAAAAAAAAAAAAe8AD8/fr6AAAPAyAAAQAXQAEMAf//BAgAAAMAnbgAAAMAAB66AkAhAAEAKkIBAQQIAAADAJ24AAADAA"
            + "AeoCCBBNluqumubgQEDAgAAAMACAAAAwAIQCIAAQAGRAHBc8GJAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAUaXNwZQAAAAAAAAAgAAAAEAAAABBwaXhpAAAAAAMKCgoAAAAaaXBtYQAA"
            + "AAAAAAACAAECgQIAAgIDhAAAABppcmVmAAAAAAAAAA5kaW1nAAIAAQABAAAAbG1kYXQAAABgKAGvCchn1EY98MDf/80+D//Awdl+1XeO3/5oevv5lPv/8BmPkfifQMmXuOfgzTnIDl"
            + "IP2X61QoNZYdVz6MGybXHDTIkHxCc8fJ9ZajJl9IicYS/2qkWLrhfk5E1dy0hA")
    /// The same, 8 bits, as AVIF.
    static let avif = bytes(
        "AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAOptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQ"
            + "ABAAAAAAEOAAEAAAAAAAAAKgAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGF2MDEAAAAAamlwcnAAAABLaXBjbwAAABNjb2xybmNseAACAAIABoAAAAAMYXYxQ4EADAAAAAAU"
            + "aXNwZQAAAAAAAAAgAAAAEAAAABBwaXhpAAAAAAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgYIDhAAAADJtZGF0EgAKCRgQ/+wQICBoQDIbFkAGGGGEALUbeB8NFAf0Oji1A5JiemWPk9"
            + "7A")

    /// One small file of every kind and way of storing, by name.
    static func all() throws -> [(name: String, bytes: [UInt8])] {
        let noise8 = try TestImage.noise(width: 9, height: 5, format: .rgba8, opaque: false)
        let opaque8 = try TestImage.noise(width: 9, height: 5, format: .rgba8, opaque: true)
        let noise16 = try TestImage.noise(width: 9, height: 5, format: .rgba16, opaque: false)
        let floats = try TestImage.noise(width: 9, height: 5, format: .rgba32Float, opaque: true)
        let floatsWithAlpha = try TestImage.noise(width: 9, height: 5, format: .rgba32Float, opaque: false)
        var chroma = EXRFile(channels: [.init("BY", .half, sampling: 2), .init("RY", .half, sampling: 2), .init("Y")], width: 4, height: 2)
        chroma.values = ["Y": [1, 2, 3, 4, 5, 6, 7, 8]]
        var tiles = EXRFile(channels: [.init("Y")], width: 5, height: 3)
        tiles.tileSize = 2
        let compressions: [ImageFile.EXRCompression] = [.runLengths, .piz, .pxr24, .b44, .dwaa]
        let compressed = try compressions.map { compression in
            ("exr \(compression)", try ImageFile.encodeEXR(floats, precision: .half, compression: compression))
        }
        return compressed + TGAFile.all + [
            ("exr tiles", tiles.bytes),
            ("exr parts", EXRFile.multipart([("only", chroma)])),
            ("png8", try ImageFile.encode(noise8, as: .png())), ("png16", try ImageFile.encode(noise16, as: .png())),
            ("jpeg", try ImageFile.encode(opaque8, as: .jpeg())), ("grey jpeg", greyJPEG), ("rgb jpeg", rgbJPEG),
            ("progressive jpeg", progressiveJPEG), ("cmyk jpeg", cmykJPEG), ("ycck jpeg", ycckJPEG),
            ("lossless webp", losslessWebP), ("lossy webp", lossyWebP), ("turned heif", turnedHEIC), ("deep heif", deepHEIC),
            ("avif heif", avif),
            (
                "etc1s ktx2",
                KTX2Builder.etc1s(
                    columns: 2, rows: 1, endpoints: [([31, 0, 10], 0), ([4, 20, 31], 3)], selectors: [Array(repeating: 2, count: 16)],
                    blocks: [(0, 0), (1, 0)], alpha: [(1, 0), (0, 0)])
            ),
            (
                "uastc ktx2",
                KTX2Builder.file(
                    width: 4, height: 4, model: 166, scheme: 0, samples: [0], global: [],
                    level: [0xD7, 0x0B, 0x30] + Array(repeating: 0, count: 13))
            ),
            ("hdr", try ImageFile.encode(floats, as: .hdr)),
            ("exr half", try ImageFile.encode(floats, as: .exr())),
            ("exr float", try ImageFile.encode(floatsWithAlpha, as: .exr(keepsFloats: true))),
            ("exr plain", EXRFile(channels: [.init("Y")], width: 3, height: 3).bytes), ("exr chroma", chroma.bytes),
        ]
    }

    private static func bytes(_ base64: String) -> [UInt8] { [UInt8](Data(base64Encoded: base64) ?? Data()) }
}
