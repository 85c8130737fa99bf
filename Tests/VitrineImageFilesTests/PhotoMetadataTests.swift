import Foundation
import Testing
import VitrineFiles
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct PhotoMetadataTests {
    private func check(_ photo: PhotoMetadata) {
        #expect(photo.make == "Fruit" && photo.model == "Phone 12" && photo.lens == "a lens")
        #expect(photo.orientation == .right)
        #expect(photo.focalLength == 4.25 && photo.focalLength35mm == 26)
        #expect(photo.pixelWidth == 4032 && photo.pixelHeight == 3024)
        #expect(photo.exposureTime == 1.0 / 120 && photo.fNumber == 1.6 && photo.iso == 64)
        #expect(photo.captureTime == "2024-05-31T14:03:09.25+02:00")
        #expect(photo.problems.isEmpty)
    }

    @Test(arguments: [true, false])
    func everyContainerIsRead(littleEndian: Bool) throws {
        let exif = EXIFFile.phone(littleEndian: littleEndian)
        let png = try ImageFile.encode(TestImage.noise(width: 3, height: 2, format: .rgba8, opaque: true), as: .png())
        check(PhotoMetadata(of: exif.inJPEG(TinyFiles.greyJPEG)))
        check(PhotoMetadata(of: exif.inPNG(png)))
        check(PhotoMetadata(of: exif.inWebP(TinyFiles.lossyWebP)))
        // The images are still images.
        #expect(try ImageFile.decode(exif.inJPEG(TinyFiles.greyJPEG)).width == 8)
        #expect(try ImageFile.decode(exif.inWebP(TinyFiles.lossyWebP)).width == 4)
    }

    @Test func withoutEXIFThereIsNoMetadata() {
        #expect(PhotoMetadata(of: TinyFiles.greyJPEG).isEmpty)
        #expect(PhotoMetadata(of: TinyFiles.avif).isEmpty)
        #expect(PhotoMetadata(of: Array("not an image".utf8)).isEmpty)
        #expect(PhotoMetadata(of: []).isEmpty)
    }

    @Test func theFocalLengthInPixels() {
        var photo = PhotoMetadata()
        #expect(photo.focalLengthInPixels(width: 4000, height: 3000) == nil)
        // A sensor of 24 × 16 mm with 6000 × 4000 pixels behind 50 mm.
        (photo.focalLength, photo.focalPlaneResolutionX, photo.pixelWidth, photo.pixelHeight) = (50, 250, 6000, 4000)
        #expect(photo.focalLengthInPixels(width: 6000, height: 4000) == 12_500)
        #expect(photo.focalLengthInPixels(width: 1500, height: 1000) == 3125)
        #expect(photo.focalLengthInPixels(width: 1000, height: 1500) == 3125)
        // On 35 mm film the same is 75 mm, and an image of 36 × 24 units has a pixel a unit.
        photo.focalLength35mm = 75
        #expect(abs((photo.focalLengthInPixels(width: 36, height: 24) ?? 0) - 75) < 1e-9)
        // Nonsense: the other way is taken, then none.
        photo.focalLength35mm = 100_000
        #expect(photo.focalLengthInPixels(width: 6000, height: 4000) == 12_500)
        photo.focalPlaneResolutionX = 0.1
        #expect(photo.focalLengthInPixels(width: 6000, height: 4000) == nil)
    }

    @Test func resolutionsHaveUnits() {
        for (unit, value) in [(2, 6350), (3, 2500), (4, 250)] {
            let exif = EXIFFile(details: [
                (0x920A, .rational(50, 1)), (0xA20E, .rational(UInt32(value), 1)), (0xA210, .short(UInt16(unit))),
            ])
            #expect(PhotoMetadata(of: exif.inJPEG(TinyFiles.greyJPEG)).focalPlaneResolutionX == 250)
        }
    }

    @Test func nonsenseIsNamedAndTheRestKept() {
        var exif = EXIFFile.phone()
        exif.main[2].value = .short(9)
        exif.details[5].value = .rational(1, 0)
        exif.details[3].value = .text("0000:00:00 00:00:00")
        let photo = PhotoMetadata(of: exif.inJPEG(TinyFiles.greyJPEG))
        #expect(photo.orientation == .up && photo.focalLength == nil && photo.focalLength35mm == 26)
        #expect(photo.captureTime == "2001-01-01T00:00:00")
        #expect(photo.problems == ["the EXIF orientation must be 1 to 8, but is 9"])
    }

    /// Each byte in turn becomes three others: no value may reach outside the stream, and the image is decoded in each case.
    @Test func damagedStreamsNeverTrap() throws {
        let good = EXIFFile.phone().inJPEG(TinyFiles.greyJPEG)
        // Behind the markers and the segment's name.
        for offset in 12..<(12 + EXIFFile.phone().stream.count) {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var bytes = good
                bytes[offset] = value
                _ = PhotoMetadata(of: bytes)
                #expect(try ImageFile.decode(bytes).width == 8)
            }
        }
        for length in 0..<good.count { _ = PhotoMetadata(of: Array(good[..<length])) }
    }

    @Test func upInStoredImage() {
        // Orientation 6: the phone stood upright, its sensor's left edge was above.
        #expect(PhotoOrientation.right.upInStoredImage == SIMD2(-1, 0))
        #expect(PhotoOrientation.left.upInStoredImage == SIMD2(1, 0))
        #expect(PhotoOrientation.down.upInStoredImage == SIMD2(0, 1))
        #expect(PhotoOrientation.up.upInStoredImage == SIMD2(0, -1))
        #expect(PhotoOrientation.allCases.filter(\.swapsSides) == [.leftMirrored, .right, .rightMirrored, .left])
    }

    @Test func inspectionShowsIt() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("photo.jpg")
            try AtomicFile.write(EXIFFile.phone().inJPEG(TinyFiles.greyJPEG), to: url)
            let inspection = try await FileInspection(contentsOf: url)
            check(try #require(inspection.image?.photo))
            #expect(inspection.text.contains("photo: Fruit Phone 12, 4.25 mm, 35 mm equivalent 26 mm"))
            #expect(inspection.text.contains("f/1.6, 1/120 s, ISO 64, 2024-05-31T14:03:09.25+02:00, orientation 6"))
        }
    }
}
