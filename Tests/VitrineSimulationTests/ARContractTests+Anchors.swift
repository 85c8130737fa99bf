import Testing
import Vitrine
import VitrineAR
import VitrineTestSupport
import VitrineVision

import struct Foundation.UUID

@testable import VitrineSimulation

/// The life of anchors: the calls of the delegate, an interruption, a relocalization, a saved map.
extension ARContractTests {
    /// A delegate that keeps its own list of anchors by the calls alone, as apps do, and checks each call.
    private final class AnchorList: ARSessionDelegate {
        private(set) var anchors: [UUID: ARAnchor] = [:]
        private(set) var calls: [String] = []
        private(set) var states: [TrackingState] = []
        /// The states of image anchors, at each change.
        private(set) var isTracked: [Bool] = []
        private(set) var added: [ARAnchor] = [], removed: [ARAnchor] = []
        /// The anchors of the newest frame that calls have mentioned.
        private var mentioned = Set<UUID>()

        func session(_ session: ARSession, didUpdate frame: ARFrame) {
            calls.append("frame")
            mentioned = []
            #expect(session.currentFrame == frame)
        }
        func session(_ session: ARSession, didAdd anchors: [ARAnchor]) {
            calls.append("add")
            added += anchors
            for anchor in anchors {
                #expect(self.anchors.updateValue(anchor, forKey: anchor.identifier) == nil, "\(anchor) was added twice")
                note(anchor, isInFrame: true, session)
            }
        }
        func session(_ session: ARSession, didUpdate anchors: [ARAnchor]) {
            calls.append("update")
            for anchor in anchors {
                let before = self.anchors.updateValue(anchor, forKey: anchor.identifier)
                #expect(before != nil && before != anchor, "\(anchor) is unknown or unchanged")
                note(anchor, isInFrame: true, session)
            }
        }
        func session(_ session: ARSession, didRemove anchors: [ARAnchor]) {
            calls.append("remove")
            removed += anchors
            for anchor in anchors {
                #expect(self.anchors.removeValue(forKey: anchor.identifier) != nil, "\(anchor) is unknown")
                note(anchor, isInFrame: false, session)
            }
        }
        func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {
            #expect(states.last != camera.trackingState)
            calls.append("state")
            states.append(camera.trackingState)
        }
        func sessionWasInterrupted(_ session: ARSession) { calls.append("interrupted") }
        func sessionInterruptionEnded(_ session: ARSession) { calls.append("resumed") }
        func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool {
            calls.append("asked")
            return true
        }
        func sessionDidRelocalize(_ session: ARSession) { calls.append("relocalized") }
        func sessionDidReachEnd(_ session: ARSession) { calls.append("end") }

        /// Each anchor is mentioned once for each frame.
        private func note(_ anchor: ARAnchor, isInFrame: Bool, _ session: ARSession) {
            #expect(mentioned.insert(anchor.identifier).inserted, "\(anchor) is in two calls for one frame")
            #expect(session.currentFrame?.anchors.contains(anchor) == isInFrame)
            if isInFrame, let image = anchor as? ARImageAnchor, image.isTracked != isTracked.last { isTracked.append(image.isTracked) }
        }

        /// Whether the calls so far give the anchors of a frame.
        func agrees(with frame: ARFrame) -> Bool {
            anchors.count == frame.anchors.count && frame.anchors.allSatisfy { anchors[$0.identifier] == $0 }
        }

        func all<A: ARAnchor>(_ kind: A.Type) -> [A] { anchors.values.compactMap { $0 as? A } }
    }

    /// Everything that a session can detect.
    private func everything(_ tracking: TrackingMethod = .automatic, map: ARWorldMap? = nil) throws -> ARWorldTrackingConfiguration {
        let poster = try ARReferenceImage(SimulatedEvents.poster, physicalWidth: 0.7, name: "shapes")
        var configuration = ARWorldTrackingConfiguration(
            planeDetection: [.horizontal, .vertical], tracking: tracking, initialWorldMap: map, detectionImages: [poster],
            sceneReconstruction: .mesh)
        configuration.environmentTexturing = .automatic
        return configuration
    }

    private func session(_ list: AnchorList, _ change: ([SensorEvent]) -> [SensorEvent] = { $0 }) async throws -> ARSession {
        let session = try await Self.recording.value.session(change)
        session.delegate = list
        return session
    }

    /// Steps to the end, or a number of times; checks the delegate's anchors after each frame.
    @discardableResult
    private func steps(_ session: ARSession, _ list: AnchorList, _ count: Int = .max) async throws -> [ARFrame] {
        var frames: [ARFrame] = []
        while frames.count < count, let frame = try await session.step() {
            frames.append(frame)
            #expect(list.agrees(with: frame), "\(frame.timestamp)")
        }
        return frames
    }

    /// The phone goes into a pocket after 4.5 s, and is back where it was at 2 s. The first image then is earlier than the first inertial sample.
    private func pocketed(_ events: [SensorEvent]) -> [SensorEvent] {
        let (start, back) = (4.5, 2.0)
        let later = events.compactMap { event -> SensorEvent? in
            switch event {
            case .image(var sample):
                guard sample.time >= back else { return nil }
                sample.time += start - back + 1
                return .image(sample)
            case .inertial(var sample):
                guard sample.time >= back + 0.001 else { return nil }
                sample.time += start - back + 1
                return .inertial(sample)
            default: return nil
            }
        }
        let before = events.filter { event in
            switch event {
            case .image(let sample): sample.time < start
            case .inertial(let sample): sample.time < start
            default: false
            }
        }
        return before + [.interruptionBegan, .interruptionEnded] + later
    }

    /// Relocalization after an interruption: all kinds of anchors keep their identity, and those from before stay in place.
    @Test func anchorsSurviveAnInterruption() async throws {
        let list = AnchorList()
        let session = try await session(list, pocketed)
        session.run(try everything())
        try await steps(session, list, 50)
        let desk = ARAnchor(name: "desk", transform: Matrix4(translation: Vector3(0, -0.5, -1)))
        try session.add(anchor: desk)
        try await steps(session, list, 17)
        // Two frames per second are searched for the poster; rounding decides in which it is detected first.
        while list.all(ARImageAnchor.self).isEmpty, let time = session.currentFrame?.timestamp, time < 4.2 {
            try await steps(session, list, 1)
        }
        let before = list.anchors
        let (posters, probes) = (list.all(ARImageAnchor.self), list.all(AREnvironmentProbeAnchor.self))
        #expect(list.states == [.limited(.initializing), .normal])
        // It may have followed its keyframe by some millimetres.
        let transform = try #require(before[desk.identifier]).transform
        #expect(
            posters.count == 1 && probes.count == 1 && list.all(ARPlaneAnchor.self).count >= 1 && list.all(ARMeshAnchor.self).count > 10)

        let frames = try await steps(session, list)
        let lost = try #require(list.states.firstIndex(of: .notAvailable))
        #expect(list.states[(lost + 1)...].first == .limited(.relocalizing) && list.states.last == .normal, "\(list.states)")
        let calls = list.calls.filter { !["frame", "add", "update", "remove"].contains($0) }
        #expect(
            calls.prefix(9) == ["state", "state", "interrupted", "state", "resumed", "asked", "state", "relocalized", "state"], "\(calls)")
        // Lost with the world, and detected again as the same anchor at the same place.
        #expect(list.isTracked.prefix(1) == [true] && list.isTracked.contains(false) && list.isTracked.last != nil)
        let poster = try #require(list.all(ARImageAnchor.self).first)
        #expect(list.all(ARImageAnchor.self).count == 1 && poster.identifier == posters[0].identifier)
        #expect(poster.transform.difference(from: posters[0].transform).metres < 0.05)
        #expect(try #require(list.anchors[desk.identifier]).transform.difference(from: transform).metres < 0.02)
        // Planes continue: none is there twice.
        let planes = list.all(ARPlaneAnchor.self)
        for plane in planes {
            let twins = planes.filter {
                $0.alignment == plane.alignment && abs(dot($0.transform.y.xyz, plane.transform.y.xyz)) > 0.98
                    && abs(dot($0.transform.translation - plane.transform.translation, plane.transform.y.xyz)) < 0.03
                    && distance($0.transform.translation, plane.transform.translation) < 0.3
            }
            #expect(twins.count == 1, "\(twins)")
        }
        let kept = before.values.filter { $0 is ARPlaneAnchor && list.anchors[$0.identifier] != nil }
        #expect(kept.count >= 1)
        // The mesh is one piece.
        let meshes = Set(before.values.filter { $0 is ARMeshAnchor }.map(\.identifier))
        #expect(list.all(ARMeshAnchor.self).count { meshes.contains($0.identifier) } * 2 > meshes.count)
        let end = try #require(frames.last)
        #expect(end.camera.trackingState == .normal && list.calls.last == "end")

        // A saved map has what cannot be detected again: the app's anchors and the planes.
        let map = try await session.getCurrentWorldMap()
        let saved = Set(map.anchors.map(\.identifier))
        #expect(saved.contains(desk.identifier) && planes.allSatisfy { saved.contains($0.identifier) })
        #expect(map.anchors.allSatisfy { !($0 is ARImageAnchor) && !($0 is ARMeshAnchor) })
        try await loads(map, planes.count)
    }

    /// Another session relocalizes in a map and has its anchors: the planes continue.
    private func loads(_ map: ARWorldMap, _ planeCount: Int) async throws {
        let list = AnchorList()
        let session = try await session(list)
        session.run(try everything(map: try ARWorldMap(json: try map.json())))
        #expect(try #require(try await session.step()).anchors.isEmpty)
        let frames = try await steps(session, list)
        #expect(list.calls.contains("relocalized") && list.states.first == .limited(.relocalizing) && list.states.last == .normal)
        let identifiers = Set(frames.last?.anchors.map(\.identifier) ?? [])
        #expect(map.anchors.allSatisfy { identifiers.contains($0.identifier) })
        #expect(map.anchors.filter { type(of: $0) == ARAnchor.self }.allSatisfy { list.anchors[$0.identifier] == $0 })
        #expect(list.all(ARPlaneAnchor.self).count <= planeCount + 1)
    }

    /// After `removeExistingAnchors` what the camera still views is detected once more, as new anchors.
    @Test func removedAnchorsAreDetectedAgain() async throws {
        let list = AnchorList()
        let session = try await session(list)
        let configuration = try everything(.recorded)
        session.run(configuration)
        try session.add(anchor: ARAnchor(name: "own", transform: .identity))
        try await steps(session, list, 50)
        let before = list.anchors
        func kinds() -> Set<String> { Set(list.anchors.values.map { "\(type(of: $0))" }) }
        let all: Set = ["ARAnchor", "ARPlaneAnchor", "ARMeshAnchor", "ARImageAnchor", "AREnvironmentProbeAnchor"]
        #expect(kinds() == all)
        session.run(configuration, options: .removeExistingAnchors)
        try await steps(session, list, 1)
        #expect(before.keys.allSatisfy { list.anchors[$0] == nil } && list.removed.count >= before.count)
        try await steps(session, list)
        #expect(kinds() == all.subtracting(["ARAnchor"]))
        #expect(list.anchors.keys.allSatisfy { before[$0] == nil })
    }

    /// An image in view whose anchor was removed, alone or with all others, is a new anchor at once, but not while it is out of view.
    @Test(arguments: [true, false]) func removedImagesAreDetectedAgain(removesAll: Bool) async throws {
        let recording = try await Self.recording.value
        let list = AnchorList()
        let session = try await session(list)
        let configuration = try everything(.recorded)
        func image() -> ARImageAnchor? { list.all(ARImageAnchor.self).first }
        func remove(_ anchor: ARImageAnchor) {
            if removesAll { session.run(configuration, options: .removeExistingAnchors) } else { session.remove(anchor: anchor) }
        }
        session.run(configuration)
        var frames = 0
        while image() == nil, frames < 60 { frames += try await steps(session, list, 1).count }
        let first = try #require(image())
        remove(first)
        // The poster, 110 pixels wide and partly covered by the table, is tracked, but too small for a detection from these frames.
        try await steps(session, list, 2)
        let second = try #require(image())
        #expect(second.identifier != first.identifier && second.referenceImage == first.referenceImage && second.isTracked)
        #expect(list.removed.contains { $0.identifier == first.identifier })
        while image()?.isTracked == true, frames < 91 { frames += try await steps(session, list, 1).count }
        let last = try #require(image())
        #expect(last.identifier == second.identifier && !last.isTracked)
        #expect(last.transform.difference(from: recording.worldFromPoster).metres < 0.02)
        remove(last)
        try await steps(session, list)
        #expect(image() == nil)
    }

    /// A tracked raycast follows the plane that it hits: none, one of two planes, the merged one, none after the app removed it.
    @Test func trackedRaycastsFollowMergedPlanes() async throws {
        let recording = try await Self.recording.value
        let list = AnchorList()
        let session = try await session(list) { events in
            events.map { event in
                guard case .image(var sample) = event else { return event }
                sample.depth = nil
                return .image(sample)
            }
        }
        let tracker = CustomTracker(name: "floor") { FloorTracker($0, recording.truth) }
        session.run(ARWorldTrackingConfiguration(planeDetection: .horizontal, tracking: .custom(tracker)))
        // Onto both parts of the floor.
        var hits: [[ARRaycastResult]] = [[], []]
        let raycasts = [-1.1, 1.1].enumerated().map { index, x in
            session.trackedRaycast(
                ARRaycastQuery(
                    origin: Vector3(Float(x), 1, -0.1), direction: Vector3(0, -1, 0), allowing: .existingPlaneGeometry,
                    alignment: .horizontal)
            ) { hits[index] = $0 }
        }
        try await steps(session, list, 44)
        let parts = hits.compactMap { $0.first?.anchor?.identifier }
        #expect(parts.count == 2 && parts[0] != parts[1])
        try await steps(session, list, 40)
        let merged = try #require(list.all(ARPlaneAnchor.self).first)
        #expect(list.anchors.count == 1 && list.removed.map(\.identifier) == parts.filter { $0 != merged.identifier })
        #expect(hits.allSatisfy { $0.count == 1 && $0[0].anchor?.identifier == merged.identifier })
        raycasts[1]?.stopTracking()
        session.remove(anchor: merged)
        try await steps(session, list)
        #expect(list.anchors.isEmpty)
        #expect(hits[0].isEmpty && hits[1].count == 1)
        // A raycast ends when it is released.
        raycasts[0]?.stopTracking()
    }
}
