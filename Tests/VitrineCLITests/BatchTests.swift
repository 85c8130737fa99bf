import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineCLI

struct BatchTests {
    private func settings(_ arguments: String...) throws -> ReconstructSettings {
        var settings = ReconstructSettings()
        _ = try ReconstructSettings.table.parse(["photos"] + arguments, into: &settings)
        return settings
    }

    private func message(_ arguments: String...) -> String? {
        do {
            var settings = ReconstructSettings()
            _ = try ReconstructSettings.table.parse(["photos", "--batch"] + arguments, into: &settings)
            try settings.validateBatch()
            return nil
        } catch {
            return error.message
        }
    }

    @Test func outputsNeedTheObjectsName() throws {
        #expect(message("-o", "a/{name}.glb", "--poses", "a/{name}.json") == nil)
        #expect(message("-o", "a.glb")?.contains("{name}") == true)
        #expect(message("-o", "{name}.glb", "--checkpoint", "work")?.contains("'work'") == true)
        #expect(message("-o", "{name}.glb", "--summary", "a.txt")?.contains(".html") == true)
        #expect(message("-o", "{name}.max")?.contains("must end in") == true)
        #expect(message() != nil)
        #expect(throws: UsageError.self) { try settings("-o", "a.glb", "--summary", "a.html").validate() }
    }

    @Test func namesReplaceThePlaceholder() throws {
        let all = try settings("-o", "a/{name}/{name}.glb", "--masks", "m/{name}", "--checkpoint", "w/{name}", "--batch")
        let own = all.named("vase 3")
        #expect(own.outputs == ["a/vase 3/vase 3.glb"] && own.masks == .folder("m/vase 3") && own.checkpoint == "w/vase 3")
        #expect(!own.isBatch)
        #expect(all.summaryPath == "a/batch.html")
        #expect(try settings("-o", "{name}.glb", "--batch").summaryPath == "batch.html")
        #expect(try settings("-o", "/out/{name}/m.glb", "--batch").summaryPath == "/out/batch.html")
    }

    @Test func optionsKeepTheirValues() {
        let table = ReconstructSettings.table
        let options = table.options(
            in: ["objects", "-o", "{name}.glb", "--batch", "--detail=full", "--json", "--summary", "s.html", "--threads", "2"],
            except: ReconstructSettings.batchOptions)
        #expect(options == ["-o", "{name}.glb", "--detail=full", "--threads", "2"])
        #expect(table.options(in: ["--poses", "p.json", "--", "--odd"], except: []) == ["--poses", "p.json"])
    }

    @Test func objectsAreFoldersAndVideos() throws {
        try withTemporaryDirectory { folder in
            func write(_ path: String, _ bytes: Int = 1) throws {
                let url = folder.appendingPathComponent(path)
                try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(repeating: 7, count: bytes).write(to: url)
            }
            #expect(throws: CommandError.self) { try BatchFolder(folder.path) }
            try write("cup10/a.jpg")
            try write("cup2/images/a.jpg")
            try write("cup2/images/b.png")
            try write("cup2/notes.txt")
            try write("film.mp4")
            try write("stray.jpg")
            try write(".hidden/a.jpg")
            let first = try BatchFolder(folder.path)
            #expect(first.objects.map(\.name) == ["cup2", "cup10", "film"])
            #expect(first.objects.map(\.photos) == [2, 1, 80])
            #expect(first.objects.map(\.isVideo) == [false, false, true])
            #expect(first.strayImages == 1)
            #expect(try BatchFolder(folder.path).objects.map(\.fingerprint) == first.objects.map(\.fingerprint))
            try write("cup2/images/b.png", 2)
            let changed = try BatchFolder(folder.path)
            #expect(changed.objects[0].fingerprint != first.objects[0].fingerprint)
            #expect(changed.objects[1].fingerprint == first.objects[1].fingerprint)
            try write("cup10.mp4")
            #expect(throws: CommandError.self) { try BatchFolder(folder.path) }
        }
    }

    @Test func logsSurviveKills() throws {
        try withTemporaryDirectory { folder in
            let path = folder.appendingPathComponent("batch.jsonl").path
            var result = BatchResult(name: "a \"b\"\n", state: .failed, reason: "x", fingerprint: "1")
            try BatchLog(path).append(result)
            // The end of a line is missing.
            try FileManager.default.contents(atPath: path)?.dropLast(5).write(to: URL(fileURLWithPath: path))
            let log = try BatchLog(path)
            #expect(log.results().isEmpty)
            (result.state, result.peakMemoryMb) = (.complete, 12)
            try log.append(result)
            #expect(try BatchLog(path).results() == ["a \"b\"\n": result])
        }
    }

    @Test func timeLeftFollowsThePhotos() throws {
        var estimate = BatchEstimate(photos: [18, 38, 38])
        #expect(estimate.remaining(elapsed: 0, remaining: nil) == nil)
        estimate.begin(photos: 18)
        // 10 s for 20 units; 80 more follow.
        let early = try #require(estimate.remaining(elapsed: 4, remaining: 6))
        #expect(abs(early - 46) < 1e-9)
        estimate.finish(seconds: 10)
        #expect(abs(estimate.fraction(current: 0) - 0.2) < 1e-9)
        estimate.begin(photos: 38)
        let later = try #require(estimate.remaining(elapsed: 5, remaining: nil))
        #expect(abs(later - 35) < 1e-9)
        #expect(abs(estimate.fraction(current: 0.5) - 0.4) < 1e-9)
    }

    /// Objects that failed early do not make the others look short.
    @Test func failedObjectsDoNotCountAsFast() throws {
        var estimate = BatchEstimate(photos: [18, 18, 38, 38])
        for isComplete in [false, true] {
            estimate.begin(photos: 18)
            estimate.finish(seconds: isComplete ? 10 : 0.5, isComplete: isComplete)
        }
        let left = try #require(estimate.remaining(elapsed: 0, remaining: 0))
        #expect(abs(left - 40) < 1e-9)
        #expect(abs(estimate.fraction(current: 0) - 1.0 / 3) < 1e-9)
    }

    @Test func pagesEscapeNames() throws {
        var failed = BatchResult(name: "<b>&", state: .failed, reason: "\"quoted\" <reason>", fingerprint: "1")
        failed.warnings = ["a < b"]
        var complete = BatchResult(name: "cup", state: .complete, fingerprint: "2", files: ["/out/models/cup 1%.glb"])
        (complete.photos, complete.photosUsed, complete.triangles) = (12, 11, 1998)
        let page = BatchPage(
            title: "objects", results: [failed, complete], seconds: 61, folder: URL(fileURLWithPath: "/out"))
        #expect(page.html.contains("&lt;b&gt;&amp;") && !page.html.contains("<b>&"))
        #expect(page.html.contains("&quot;quoted&quot; &lt;reason&gt;"))
        #expect(page.html.contains("href=\"models/cup%201%25.glb\""))
        #expect(BatchPage.text(of: "/photos/a: few photos: 1", object: "a") == "few photos: 1")
        #expect(BatchPage.text(of: "few photos: 1", object: "a") == "few photos: 1" && BatchPage.text(of: "b", object: "a") == "b")
        #expect(page.html.contains("1 of 2 objects are complete, <b>1 failed</b>") && page.html.contains("11 of 12"))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(try page.json())) as? [String: Any])
        #expect(json["failed"] as? Int == 1 && (json["objects"] as? [Any])?.count == 2)
    }

    /// A child process gives its lines and its end.
    @Test func eventsOfObjectsAreRead() throws {
        var result = BatchResult(name: "a", state: .waiting, fingerprint: "")
        let progress = try #require(
            ReconstructEvent.decode(Array(#"{"event":"progress","fraction":0.25,"remaining_s":9,"stage":"x"}"#.utf8)))
        #expect(progress.fraction == 0.25 && progress.remainingS == 9)
        let line =
            #"{"event":"result","photos":9,"photos_used":8,"models":[{"triangles":5}],"steps":[{"peak_memory_mb":7},{"peak_memory_mb":3}],"warnings":["w"]}"#
        result.take(try #require(ReconstructEvent.decode(Array(line.utf8))))
        #expect(
            result.photos == 9 && result.photosUsed == 8 && result.triangles == 5 && result.peakMemoryMb == 7 && result.warnings == ["w"])
        #expect(ReconstructEvent.decode(Array("no JSON".utf8)) == nil)
    }
}
