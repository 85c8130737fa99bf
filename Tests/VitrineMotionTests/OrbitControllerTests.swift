import Testing
import VitrineGeometry
import VitrineMotion

@Suite struct OrbitPoseTests {
    @Test func theEyeFollowsTheConvention() {
        let front = OrbitPose(distance: 2, target: [1, 2, 3])
        #expect(distance(front.eye, [1, 2, 5]) < 1e-6)
        let right = OrbitPose(azimuth: .degrees(90), distance: 2)
        #expect(distance(right.eye, [2, 0, 0]) < 1e-6)
        let above = OrbitPose(azimuth: .degrees(0), elevation: .degrees(30), distance: 2)
        #expect(distance(above.eye, [0, 1, Float(3).squareRoot()]) < 1e-6)
    }

    @Test func theCameraFacesTheTarget() {
        for azimuth in stride(from: Float(-170), to: 180, by: 35) {
            for elevation in stride(from: Float(-80), through: 80, by: 20) {
                let pose = OrbitPose(azimuth: .degrees(azimuth), elevation: .degrees(elevation), distance: 3, target: [1, -2, 0.5])
                let expected = Matrix4.lookAt(eye: pose.eye, target: pose.target)
                #expect(pose.worldFromCamera.isClose(to: expected, tolerance: 1e-4))
            }
        }
    }

    @Test func fittingShowsTheWholeSphere() {
        let bounds = BoundingBox(minimum: [-1, -2, -3], maximum: [3, 2, 1])
        for aspect: Float in [0.5, 1, 2] {
            let pose = OrbitPose(fitting: bounds, fieldOfView: .degrees(50), aspectRatio: aspect)
            #expect(pose.target == bounds.center)
            let clipFromView = Matrix4.perspective(fieldOfViewY: .degrees(50), aspectRatio: aspect, near: .infinity, far: 0.01)
            let frustum = Frustum(clipFromWorld: clipFromView * pose.worldFromCamera.affineInverse)
            let planes = [frustum.planes.0, frustum.planes.1, frustum.planes.2, frustum.planes.3]
            let room = planes.map { dot($0, Vector4(bounds.center, 1)) - bounds.radius }.min()!
            #expect(room > 0)
            #expect(room < 0.1 * bounds.radius)
        }
    }

    @Test func fittingEmptyBoundsGivesAFinitePose() {
        let pose = OrbitPose(fitting: .empty, fieldOfView: .degrees(60), aspectRatio: 1)
        #expect(pose.eye.isFinite && pose.distance > 0)
        let point = OrbitPose(fitting: BoundingBox(minimum: [1, 1, 1], maximum: [1, 1, 1]), fieldOfView: .degrees(60), aspectRatio: 1)
        #expect(point.target == [1, 1, 1] && point.distance > 0)
    }
}

@Suite struct OrbitControllerTests {
    private func controller() -> OrbitController {
        var controller = OrbitController(pose: OrbitPose(azimuth: .degrees(20), elevation: .degrees(10), distance: 4, target: [0, 1, 0]))
        controller.viewportSize = [800, 600]
        return controller
    }

    /// A drag of 10 moves in a tenth of a second, released while moving.
    private func flick(_ orbit: inout OrbitController, _ kind: OrbitController.Drag, by delta: Vector2) {
        orbit.beginDrag(kind, at: 1)
        for step in 1...10 { orbit.drag(by: delta, at: 1 + Double(step) * 0.01) }
        orbit.endDrag(at: 1.1)
    }

    /// Returns the controller after it has come to rest.
    private func settled(_ orbit: OrbitController, framesPerSecond: Double, from start: Double = 1.1) -> OrbitController {
        var orbit = orbit
        var frame = 0
        while !orbit.isAtRest, frame < 10_000 {
            frame += 1
            orbit.update(at: start + Double(frame) / framesPerSecond)
        }
        #expect(orbit.isAtRest)
        return orbit
    }

    @Test func theFrontFollowsThePointer() {
        var orbit = controller()
        let before = orbit.pose
        // A point of the object that faces the camera.
        let point = before.target + before.direction
        orbit.beginDrag(.orbit, at: 0)
        orbit.drag(by: [60, 30], at: 0.1)
        #expect(abs(orbit.pose.azimuth.degrees - (20 - 18)) < 1e-3)
        #expect(abs(orbit.pose.elevation.degrees - (10 + 9)) < 1e-3)
        let seen = orbit.pose.worldFromCamera.affineInverse.transform(point: point)
        #expect(seen.x > 0.1 && seen.y < -0.1)
    }

    @Test func aPointerAtRestHasNoVelocity() {
        var orbit = controller()
        orbit.beginDrag(.orbit, at: 0)
        orbit.drag(by: [60, 0], at: 0.1)
        orbit.endDrag(at: 0.5)
        #expect(orbit.isAtRest)
    }

    @Test func inertiaDoesNotDependOnTheFrameRate() {
        for kind in [OrbitController.Drag.orbit, .pan, .zoom, .environment] {
            var orbit = controller()
            flick(&orbit, kind, by: [5, -4])
            #expect(!orbit.isAtRest)
            let released = orbit
            let slow = settled(orbit, framesPerSecond: 20)
            let fast = settled(orbit, framesPerSecond: 240)
            #expect(abs(slow.pose.azimuth.radians - fast.pose.azimuth.radians) < 3e-4)
            #expect(abs(slow.pose.elevation.radians - fast.pose.elevation.radians) < 3e-4)
            #expect(abs(slow.pose.distance / fast.pose.distance - 1) < 3e-4)
            #expect(distance(slow.pose.target, fast.pose.target) < 2e-3)
            #expect(abs(slow.environmentRotation.radians - fast.environmentRotation.radians) < 3e-4)
            #expect(slow.pose != released.pose || slow.environmentRotation != released.environmentRotation)
        }
    }

    @Test func coastingTravelsSpeedTimesTimeConstant() {
        var orbit = controller()
        flick(&orbit, .orbit, by: [5, 0])
        let released = orbit.pose.azimuth.radians
        // 500 points a second over a height of 600 for half a turn, less the remaining error of the averaging after 0.1 s (e⁻²).
        let speed = 500 * Float.pi / 600 * (1 - exp(Float(-2)))
        let travelled = released - settled(orbit, framesPerSecond: 60).pose.azimuth.radians
        #expect(abs(travelled - speed * 0.25) < 2e-3)
    }

    @Test func sticksSteerAtConstantSpeedAndCoast() {
        for framesPerSecond in [7.0, 240] {
            var (orbit, steering) = (controller(), OrbitController.Steering())
            (steering.orbit, steering.zoom) = (Vector2(0.5, 0), 0.5)
            orbit.steer(steering, at: 1)
            for frame in 1...Int(framesPerSecond) { orbit.update(at: 1 + Double(frame) / framesPerSecond) }
            #expect(abs(orbit.pose.azimuth.degrees - 80) < 1e-2 && abs(orbit.distance - 4 * exp(-0.5)) < 1e-3 && !orbit.isAtRest)
            // Let go, it coasts: 60° a second for a quarter of one.
            orbit.steer(.none, at: 2)
            let end = settled(orbit, framesPerSecond: 60, from: 2)
            #expect(abs(end.pose.azimuth.degrees - 95) < 0.1)
        }
    }

    @Test func steeringRespectsLimitsAndIgnoresInvalidInput() {
        var (orbit, steering) = (controller(), OrbitController.Steering())
        (steering.orbit, steering.pan, steering.zoom) = (Vector2(0, 50), Vector2(.nan, 1), .infinity)
        orbit.limits.distance = 3...5
        orbit.steer(steering, at: 1)
        orbit.update(at: 60)
        #expect(orbit.pose.elevation.degrees < 90 && orbit.pose.target == [0, 1, 0] && orbit.distance == 4)
        (steering.orbit, steering.pan, steering.zoom) = (.zero, Vector2(0, 1), -1)
        orbit.steer(steering, at: 60)
        orbit.update(at: 61)
        #expect(abs(orbit.distance - 5) < 1e-4 && orbit.pose.target.isFinite)
        orbit.stop()
        #expect(orbit.isAtRest)
    }

    @Test func theSameCallsGiveTheSameBits() {
        func run() -> OrbitController {
            var orbit = controller()
            flick(&orbit, .orbit, by: [3, 2])
            orbit.scroll(by: 2, towards: [100, 50], at: 1.15)
            return settled(orbit, framesPerSecond: 60, from: 1.15)
        }
        #expect(run() == run())
    }

    @Test func theElevationStaysBelowThePole() {
        var orbit = controller()
        flick(&orbit, .orbit, by: [0, 100])
        let end = settled(orbit, framesPerSecond: 60)
        #expect(end.pose.elevation.degrees < 90)
        #expect(end.pose.elevation.degrees > 89.9)
        #expect(end.pose.worldFromCamera.linear.y.y > 0)
        orbit.turn(azimuth: .zero, elevation: .degrees(-400), at: 3)
        #expect(settled(orbit, framesPerSecond: 60, from: 3).pose.elevation.degrees > -90)
    }

    @Test func theAzimuthStaysWithinItsLimits() {
        var orbit = controller()
        orbit.limits.azimuth = Angle.degrees(-30).radians...Angle.degrees(40).radians
        flick(&orbit, .orbit, by: [-100, 0])
        #expect(abs(settled(orbit, framesPerSecond: 60).pose.azimuth.degrees - 40) < 1e-3)
        orbit.turn(azimuth: .degrees(-400), at: 3)
        orbit = settled(orbit, framesPerSecond: 60, from: 3)
        #expect(abs(orbit.pose.azimuth.degrees + 30) < 1e-3)
        // 350° is −10°; the way there stays inside.
        var goal = orbit.pose
        goal.azimuth = .degrees(350)
        orbit.glide(to: goal, at: 10)
        orbit.update(at: 10.05)
        #expect((-30.001 ... -9.99).contains(orbit.pose.azimuth.degrees))
        orbit = settled(orbit, framesPerSecond: 60, from: 10.05)
        #expect(abs(orbit.pose.azimuth.degrees + 10) < 1e-2)
        goal.azimuth = .degrees(180)
        orbit.pose = goal
        #expect((-30.001...40.001).contains(orbit.pose.azimuth.degrees))
    }

    @Test func newLimitsOfTheAzimuthMoveTheCameraInside() {
        var orbit = controller()
        var pose = orbit.pose
        pose.azimuth = .degrees(20 + 720)
        orbit.pose = pose
        orbit.limits.azimuth = 0...Angle.degrees(40).radians
        #expect(abs(orbit.pose.azimuth.degrees - 20) < 1e-3 && orbit.isAtRest)
        orbit.limits.azimuth = 0...Angle.degrees(10).radians
        #expect(abs(settled(orbit, framesPerSecond: 60).pose.azimuth.degrees - 10) < 1e-3)
    }

    @Test func panningKeepsTheTargetUnderThePointer() {
        var orbit = controller()
        let before = orbit.pose
        orbit.beginDrag(.pan, at: 0)
        orbit.drag(by: [120, -60], at: 0.2)
        // The old target, seen from the new camera, has moved by as many points.
        let seen = orbit.pose.worldFromCamera.affineInverse.transform(point: before.target)
        let pointsPerMetre = 600 / (2 * -seen.z * tan(Angle.degrees(30).radians))
        #expect(abs(seen.x * pointsPerMetre - 120) < 1e-2)
        #expect(abs(seen.y * pointsPerMetre - 60) < 1e-2)
        #expect(orbit.pose.distance == before.distance)
    }

    @Test func theWheelZoomsTowardsThePointer() {
        var orbit = controller()
        let pointer = Vector2(150, -80)
        let metres = 2 * orbit.distance * tan(Angle.degrees(30).radians) / 600
        let world = orbit.pose.worldFromCamera
        let point = orbit.pose.target + world.x.xyz * (pointer.x * metres) + world.y.xyz * (pointer.y * metres)
        orbit.scroll(by: 3, towards: pointer, at: 1)
        let end = settled(orbit, framesPerSecond: 60, from: 1)
        #expect(abs(end.distance - 4 / pow(1.15, 3)) < 2e-3)
        let seen = end.pose.worldFromCamera.affineInverse.transform(point: point)
        let pointsPerMetre = 600 / (2 * -seen.z * tan(Angle.degrees(30).radians))
        #expect(abs(seen.x * pointsPerMetre - 150) < 0.5)
        #expect(abs(seen.y * pointsPerMetre + 80) < 0.5)
    }

    @Test func wheelNotchesAddUp() {
        var orbit = controller()
        for _ in 0..<4 { orbit.scroll(by: 1, at: 1) }
        #expect(abs(settled(orbit, framesPerSecond: 60, from: 1).distance - 4 / pow(1.15, 4)) < 2e-3)
    }

    @Test func aPinchBeyondTheLimitSpringsBack() {
        var orbit = controller()
        orbit.limits.distance = 2...8
        orbit.beginPinch(at: 1)
        for step in 1...20 { orbit.pinch(by: 1.2, at: 1 + Double(step) * 0.01) }
        #expect(orbit.distance < 2)
        #expect(orbit.distance > 2 * exp(Float(-0.36)))
        orbit.endPinch(at: 1.3)
        #expect(!orbit.isAtRest)
        #expect(abs(settled(orbit, framesPerSecond: 60, from: 1.3).distance - 2) < 1e-4)
    }

    @Test func aPinchInsideTheLimitsIsExact() {
        var orbit = controller()
        orbit.beginPinch(at: 1)
        orbit.pinch(by: 2, at: 1.1)
        #expect(abs(orbit.distance - 2) < 1e-5)
        orbit.endPinch(at: 1.2)
        #expect(orbit.isAtRest)
    }

    @Test func resetTakesTheShorterWay() {
        var orbit = controller()
        orbit.pose = OrbitPose(azimuth: .degrees(380 + 360), elevation: .degrees(-40), distance: 1, target: [3, 3, 3])
        orbit.reset(at: 5)
        let end = settled(orbit, framesPerSecond: 60, from: 5)
        #expect(abs(end.pose.azimuth.degrees - 740) < 0.1)
        #expect(distance(end.pose.eye, orbit.home.eye) < 5e-3)
    }

    @Test func fittingDoesNotJump() {
        var orbit = controller()
        orbit.pose.distance = 1000
        let before = orbit.pose
        let bounds = BoundingBox(minimum: [9, 9, 9], maximum: [11, 11, 11])
        orbit.fit(bounds, at: 2)
        #expect(orbit.pose == before)
        let end = settled(orbit, framesPerSecond: 60, from: 2)
        let expected = OrbitPose(
            fitting: bounds, azimuth: before.azimuth, elevation: before.elevation, fieldOfView: .degrees(60), aspectRatio: 800 / 600)
        #expect(distance(end.pose.eye, expected.eye) < 5e-3)
    }

    @Test func aLongSleepDoesNotShortenTheNextMotion() {
        var orbit = controller()
        orbit.turn(azimuth: .degrees(10), at: 1000)
        orbit.update(at: 1000.01)
        #expect(!orbit.isAtRest)
        #expect(abs(orbit.pose.azimuth.degrees - 20) < 1)
    }

    @Test func invalidInputChangesNothing() {
        var orbit = controller()
        let before = orbit.pose
        orbit.drag(by: [10, 10], at: 0.5)
        orbit.beginDrag(.orbit, at: 1)
        orbit.drag(by: [.nan, 1], at: 1.1)
        orbit.drag(by: [.infinity, 1], at: 1.1)
        orbit.endDrag(at: 1.2)
        orbit.beginPinch(at: 2)
        orbit.pinch(by: 0, at: 2.1)
        orbit.pinch(by: -1, at: 2.1)
        orbit.endPinch(at: 2.2)
        orbit.scroll(by: .nan, at: 2.3)
        orbit.update(at: 1)
        #expect(orbit.pose == before)
        #expect(orbit.isAtRest)
    }

    @Test func shiftDragRotatesOnlyTheEnvironment() {
        var orbit = controller()
        let before = orbit.pose
        orbit.beginDrag(.environment, at: 0)
        orbit.drag(by: [300, 10], at: 0.1)
        #expect(abs(orbit.environmentRotation.degrees - 90) < 1e-3)
        #expect(orbit.pose == before)
    }
}
