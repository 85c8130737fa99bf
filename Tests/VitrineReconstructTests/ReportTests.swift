import Foundation
import Testing
import VitrineGeometry
import VitrineScene

@testable import VitrineReconstruct

@Suite struct ReportTests {
    /// Cameras on rings around the origin, looking at it.
    static func summary(azimuths: [Double], elevations: [Double]) -> ReconstructionSummary {
        var summary = ReconstructionSummary()
        summary.bounds = BoundingBox(minimum: Vector3(-0.5, 0, -0.5), maximum: Vector3(0.5, 1, 0.5))
        for elevation in elevations {
            for azimuth in azimuths {
                let turn =
                    Quaternion(angle: .degrees(Float(azimuth)), axis: .up) * Quaternion(angle: .degrees(Float(-elevation)), axis: .right)
                var photo = ReconstructionSummary.Photo(
                    id: summary.photos.count, name: "p\(summary.photos.count).jpg", url: nil, state: .used)
                (photo.width, photo.height, photo.sharpness, photo.brightness) = (4_000, 3_000, 0.6, 0.5)
                (photo.features, photo.matchedPhotos, photo.observations, photo.reprojectionError) = (5_000, 8, 900, 0.5)
                photo.pose = PhotogrammetrySession.Pose(
                    translation: Vector3(0, 0.5, 0) + turn.rotate(Vector3(0, 0, 3)), rotation: turn,
                    intrinsics: .init(
                        width: 4_000, height: 3_000, focalLength: SIMD2(4_000, 4_000), principalPoint: SIMD2(2_000, 1_500),
                        distortion: .none))
                summary.photos.append(photo)
            }
        }
        summary.isMetric = true
        return summary
    }

    private static let ring = stride(from: 0.0, to: 360, by: 15).map { $0 }

    @Test func coverageListsCameraDirections() throws {
        let coverage = Coverage(Self.summary(azimuths: [0, 90, 200], elevations: [30]))
        #expect(coverage.directions.map { Int($0.azimuth.rounded()) } == [0, 90, 200])
        #expect(coverage.directions.allSatisfy { abs($0.elevation - 30) < 0.1 })
        let gap = try #require(coverage.widestGap)
        #expect(abs(gap.degrees - 160) < 0.1)
        #expect((gap.before, gap.after) == ("p2.jpg", "p0.jpg"))
    }

    @Test func completeCaptureNeedsNoAdvice() {
        #expect(CaptureAdvice(Self.summary(azimuths: Self.ring, elevations: [10, 35, 55])).lines.isEmpty)
    }

    @Test func adviceNamesTheMeasuredProblem() {
        func advice(_ change: (inout ReconstructionSummary) -> Void) -> String {
            var summary = Self.summary(azimuths: Self.ring, elevations: [10, 35, 55])
            change(&summary)
            return CaptureAdvice(summary).lines.joined(separator: "\n")
        }
        #expect(advice { $0.photos[3].sharpness = 0.1 }.contains("p3.jpg is blurred"))
        #expect(advice { $0.photos[5].state = .leftOut("it shares too little") }.contains("p5.jpg could not be aligned"))
        #expect(advice { $0.photos[5].state = .invalid("no image") }.contains("p5.jpg cannot be used"))
        #expect(advice { for index in $0.photos.indices { $0.photos[index].features = 300 } }.contains("distinctive points"))
        #expect(advice { for index in $0.photos.indices { $0.photos[index].brightness = 0.05 } }.contains("dark"))
        #expect(advice { $0.photos[0].matchedPhotos = 1 }.contains("p0.jpg shares"))
        #expect(advice { $0.isMetric = false }.contains("--scale"))
        #expect(CaptureAdvice(Self.summary(azimuths: Self.ring, elevations: [20])).lines[0].contains("one height (20"))
        let half = Self.summary(azimuths: Array(Self.ring.prefix(16)), elevations: [10, 35, 55])
        #expect(
            CaptureAdvice(half).lines[0].contains("135 degrees between p15.jpg and p0.jpg")
                || CaptureAdvice(half).lines[0].contains("135 degrees"))
    }

    @Test func pageHasNoExternalResources() {
        var summary = Self.summary(azimuths: Self.ring, elevations: [10, 35])
        summary.photos[0].thumbnail = [0xFF, 0xD8, 0xFF]
        summary.steps = [.init(name: "depth", stage: .pointCloudGeneration, seconds: 3, peakMemory: 1 << 28, wasRestored: true)]
        let page = ReportPage(summary).html
        for link in ["src=\"http", "href=", "<script", "url("] { #expect(!page.contains(link)) }
        #expect(page.contains("data:image/jpeg;base64,/9j/"))
        #expect(page.contains("48 of 48 photos"))
        #expect(page.contains("from the checkpoint"))
    }

    @Test func pageEscapesNames() {
        var summary = Self.summary(azimuths: [0, 90], elevations: [10])
        var photo = ReconstructionSummary.Photo(id: 9, name: "<script>alert(1)</script>.jpg", url: nil, state: .invalid("\"><b>"))
        photo.width = 1
        summary.photos.append(photo)
        let page = ReportPage(summary).html
        #expect(!page.contains("<script"))
        #expect(!page.contains("\"><b>"))
    }

    /// The back of an object that was photographed from one side is not observed: the report doesn't show it.
    @Test func oneSidedCaptureHasNoImageOfTheBack() {
        func page(azimuths: [Double]) -> String {
            var summary = Self.summary(azimuths: azimuths, elevations: [10, 20])
            summary.cloudSample = [.init(position: SIMD3(0, 0.5, 0.2), color: SIMD4(200, 100, 50, 255))]
            return ReportPage(summary).html
        }
        let oneSided = stride(from: -45.0, through: 45, by: 15).map { $0 }
        #expect(Self.summary(azimuths: oneSided, elevations: [10]).viewpoints.map(\.azimuth) == [0, 40, -40])
        #expect(Self.summary(azimuths: Self.ring, elevations: [10]).viewpoints.map(\.azimuth) == [0, 90, 180, 270])
        #expect(!page(azimuths: oneSided).contains("points from the back"))
        #expect(page(azimuths: Self.ring).contains("points from the back"))
    }

    /// The viewer replaces the first image, which stays as its poster; without images there is no viewer.
    @Test func viewerReplacesTheFirstImage() throws {
        let image = try Image(width: 1, height: 1, format: .rgba8, bytes: [1, 2, 3, 255])
        let viewer = ReportPage.ModelViewer(
            attributes: "src=\"#m\"", scripts: "<script type=\"module\">viewer()</script>", facts: "9 triangles")
        let page = ReportPage(ReconstructionSummary(), images: [("front", image), ("back", image)], viewer: viewer).html
        #expect(page.contains("<vitrine-viewer src=\"#m\"><img slot=\"poster\" alt=\"front\" src=\"data:image/jpeg;base64,"))
        #expect(!page.contains("<figcaption>front") && page.contains("<figcaption>back") && page.contains("9 triangles"))
        #expect(page.contains("viewer()</script>\n</body>") && page.contains("script-src 'unsafe-inline' 'wasm-unsafe-eval'"))
        #expect(!ReportPage(ReconstructionSummary(), images: [], viewer: viewer).html.contains("script"))
    }

    @Test func emptySummaryGivesAPage() {
        #expect(ReportPage(ReconstructionSummary()).html.contains("</html>"))
    }
}
