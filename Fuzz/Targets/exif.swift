import VitrineFiles

@testable import VitrineTestFiles

/// EXIF data as in a JPEG; the input is the TIFF stream itself.
// swift-format-ignore: OnlyOneTrailingClosureArgument
let exifTarget = FuzzTarget(seeds: { [EXIFFile.phone(littleEndian: true).stream, EXIFFile.phone(littleEndian: false).stream] }) { input in
    // A segment's length has 16 bits.
    let stream = input.prefix(0xFFFF - 8)
    let length = stream.count + 8
    let segment = [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + Array("Exif\0\0".utf8)
    let photo = PhotoMetadata(of: segment + stream)
    precondition(photo.problems.count <= 8)
    for text in [photo.make, photo.model, photo.lens, photo.captureTime].compactMap({ $0 }) {
        precondition(!text.isEmpty && text.count <= 300)
    }
    for number in [photo.focalLength, photo.focalLength35mm, photo.exposureTime, photo.fNumber].compactMap({ $0 }) {
        precondition(number > 0 && number.isFinite)
    }
    if let focal = photo.focalLengthInPixels(width: 4000, height: 3000) { precondition((800...200_000).contains(focal)) }
    precondition(photo.orientation.rawValue >= 1)
}
