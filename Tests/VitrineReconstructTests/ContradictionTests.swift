import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// Whole sessions whose photos contradict their cameras: the outputs, the summary and the report have a warning.
@Suite(.serialized) struct ContradictionTests {
    /// Three photos were stretched by a seventh of their height: no camera with the others' lens takes them.
    @Test func stretchedPhotosContradictTheirMatches() async throws {
        var samples = TinyCapture.samples
        let stretched = [2, 4, 7]
        for index in stretched { samples[index].image = TinyCapture.capture.photos[index].stretched(by: 1.15).image }
        let warnings = try await warnings(PhotogrammetrySession(input: samples, configuration: TinyCapture.configuration()))
        let warning = try #require(warnings.first { $0.contains("contradict the cameras") }, "\(warnings)")
        #expect(stretched.contains { warning.contains("\($0)") })
        let intact = try await self.warnings(PhotogrammetrySession(input: TinyCapture.samples, configuration: TinyCapture.configuration()))
        #expect(!intact.contains { $0.contains("contradict the cameras") }, "\(intact)")
    }

    /// The tracker was wrong about two shots.
    @Test(arguments: [false, true]) func camerasFarFromTheirTrackedPosesGiveAWarning(_ areWrong: Bool) async throws {
        try await withTemporaryDirectory { folder in
            let photos = try TinyCapture.write(to: folder)
            let (session, pass, pose) = (UUID(), UUID(), UUID())
            for (index, camera) in TinyCapture.capture.cameras.enumerated() {
                let name = "photo-\(index)"
                var moved = camera
                if areWrong, index == 3 || index == 4 { moved.cameraFromWorld.translation += Vector3d(0, 0.1, 0) }
                let record = ShotRecord(
                    camera: PosesFile.Camera(name: name + ".png", camera: moved), unit: "metre", gravity: nil, time: Double(index),
                    exposureDuration: nil, sharpness: 0.5, session: session, pass: pass, objectPose: pose, box: nil, isManual: false)
                try Data(try record.json()).write(to: photos.appendingPathComponent(name + ".json"))
            }
            let warnings = try await warnings(PhotogrammetrySession(input: photos, configuration: TinyCapture.configuration()))
            let warning = warnings.first { $0.contains("deviate from the capture's camera poses") }
            #expect((warning != nil) == areWrong, "\(warnings)")
            if let warning { #expect(warning.contains("photo-3.png, photo-4.png")) }
        }
    }

    /// The warnings of a session that computes the poses.
    private func warnings(_ session: PhotogrammetrySession) async throws -> [String] {
        try session.process(requests: [.poses])
        let transcript = try await Transcript(session)
        try #require(transcript.errors.isEmpty, "\(transcript.errors)")
        let warnings = transcript.outputs.compactMap { if case .warning(let text) = $0 { text } else { nil } }
        let summary = try #require(session.summary)
        #expect(warnings == summary.warnings && summary.usedCount >= 8)
        let report = ReportPage(summary).html
        for warning in warnings { #expect(report.contains(warning.replacing("'", with: "&#39;")) || report.contains(warning)) }
        return warnings
    }
}

extension ColorPlane {
    /// The image stretched vertically about its middle, of the same size.
    fileprivate func stretched(by factor: Double) -> ColorPlane {
        var result = self
        for y in 0..<height {
            let source = (Double(y) + 0.5 - Double(height) / 2) / factor + Double(height) / 2 - 0.5
            let row = max(0, min(height - 2, Int(source)))
            let part = max(0, min(1, source - Double(row)))
            for index in 0..<3 * width {
                let (above, below) = (Double(values[3 * row * width + index]), Double(values[3 * (row + 1) * width + index]))
                result.values[3 * y * width + index] = UInt8((above + (below - above) * part).rounded())
            }
        }
        return result
    }
}
